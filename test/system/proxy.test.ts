import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimPorts } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";

/** The recipes of docs/proxy.md, each in front of a model stub and the real service. */
const RECIPES = join(import.meta.dirname, "../../docs/proxy");
const NGINX = spawnSync("nginx", ["-v"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "sluice-proxy-"));
const model = createServer((_, response) => response.end("the model speaks"));

let server: Server;
let modelUrl: string;
let broke: string;
let throttled: string;
let free: string;

beforeAll(async () => {
  server = await startServer({ port: 0, dataDir: join(folder, "data") });
  await new Promise<void>((resolve) => {
    model.listen(0, "127.0.0.1", resolve);
  });
  modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  free = (await newOrg()).key;
  const poor = await newOrg();
  broke = poor.key;
  const none = { scope_kind: "org", limit_usd: "0", period: "month", mode: "enforce" };
  await ask("POST", `/v1/orgs/${poor.id}/budgets`, broke, none);
  const slow = await newOrg();
  throttled = slow.key;
  const match = { route: "POST /v1/edge/decision" };
  const policy = { name: "none", match, unit: "requests", limit: 0, window_seconds: 60, kind: "rate" };
  const limits = { read_rpm: null, policies: [policy] };
  await ask(
    "PUT",
    `/v1/admin/orgs/${slow.id}/rate-limits`,
    server.settings["SVC_OPERATOR_KEY"] ?? "",
    limits,
  );
});

afterAll(async () => {
  model.close();
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${server.urls[0]}${path}`, { method, headers, body: JSON.stringify(body) });
}

async function newOrg(): Promise<{ id: string; key: string }> {
  const made = await ask("POST", "/v1/admin/orgs", server.settings["SVC_OPERATOR_KEY"] ?? "", { name: "p" });
  const { org, owner_key: key } = (await made.json()) as { org: { id: string }; owner_key: string };
  return { id: org.id, key };
}

/** What a caller relies on in a refusal. */
async function told(response: Response) {
  const { status, headers } = response;
  return { status, body: await response.text(), retryAfter: headers.get("retry-after") };
}

/** The refusal as the service returns it, and as the proxy passes it on. */
async function bothWays(url: string, key: string) {
  const direct = await told(await ask("POST", "/v1/edge/decision", key, { estimate: { cost_usd: "0.01" } }));
  const through = await told(await fetch(`${url}/v1/chat`, { headers: { "x-estimate-usd": "0.01" } }));
  return { direct, through };
}

describe("the Worker of the recipe", () => {
  async function withWorker(key: string, check: (url: string) => Promise<void>): Promise<void> {
    delete process.env["MINIFLARE_WORKERD_PATH"];
    const proxy = new Miniflare({
      modules: true,
      script: readFileSync(join(RECIPES, "worker.js"), "utf8"),
      compatibilityDate: "2026-07-30",
      bindings: { SLUICE_URL: server.urls[0], SLUICE_KEY: key, MODEL_URL: modelUrl },
      telemetry: { enabled: false },
    });
    try {
      await check(String(await proxy.ready).replace(/\/$/, ""));
    } finally {
      await proxy.dispose();
    }
  }

  test("passes on a refusal for money byte for byte", () =>
    withWorker(broke, async (url) => {
      const { direct, through } = await bothWays(url, broke);
      expect(direct.status).toBe(402);
      expect(through).toEqual(direct);
    }));

  test("passes on a refusal for a rate byte for byte, including Retry-After", () =>
    withWorker(throttled, async (url) => {
      const { direct, through } = await bothWays(url, throttled);
      expect(direct.retryAfter).not.toBeNull();
      expect(through).toEqual(direct);
    }));

  test("allows a call, and says which hold it has", () =>
    withWorker(free, async (url) => {
      const answer = await fetch(`${url}/v1/chat`);
      expect(await answer.text()).toBe("the model speaks");
      expect(answer.headers.get("x-reservation-id")).toMatch(/^rsv_/);
    }));
});

describe.runIf(NGINX)("nginx with the recipe's configuration", () => {
  async function withNginx(key: string, check: (url: string) => Promise<void>): Promise<void> {
    const [port = 0] = await claimPorts(0, 1);
    const values: Record<string, string> = {
      FOLDER: folder,
      PORT: String(port),
      MODEL_URL: modelUrl,
      SLUICE_URL: server.urls[0],
      SLUICE_KEY: key,
    };
    for (const file of ["nginx.conf", "ask.conf"]) {
      const text = readFileSync(join(RECIPES, file), "utf8");
      writeFileSync(
        join(folder, file),
        text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? ""),
      );
    }
    const nginx: ChildProcess = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")]);
    try {
      const url = `http://127.0.0.1:${port}`;
      await expect
        .poll(() =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      await check(url);
    } finally {
      nginx.kill();
    }
  }

  test.each([402, 429])("passes on a refusal with %i byte for byte", async (status) => {
    const key = status === 402 ? broke : throttled;
    await withNginx(key, async (url) => {
      const { direct, through } = await bothWays(url, key);
      expect(direct.status).toBe(status);
      expect(through).toEqual(direct);
    });
  });

  test("asks for the amount that the caller names, and uses nothing else from it", () =>
    withNginx(broke, async (url) => {
      for (const estimate of ['0","x":"', '0.01"},"dry_run":true,"estimate":{"cost_usd":"0', "free"]) {
        const answer = await fetch(`${url}/v1/chat`, { headers: { "x-estimate-usd": estimate } });
        expect(answer.status).toBe(402);
      }
      const costless = await fetch(`${url}/v1/chat`, { headers: { "x-estimate-usd": "0" } });
      expect(await costless.text()).toBe("the model speaks");
    }));

  test("allows a call", () =>
    withNginx(free, async (url) => {
      expect(await (await fetch(`${url}/v1/chat`)).text()).toBe("the model speaks");
    }));
});

test.runIf(!NGINX)("nginx is not installed here: its recipe was not run", () => {
  expect(NGINX).toBe(false);
});
