import { Miniflare, type Request, Response } from "miniflare";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { migrate } from "../../scripts/migrate.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { readWorkerConfig, ROOT } from "../../scripts/worker-config.ts";
import { workersOf } from "../../scripts/workers.ts";
import { HOSTILE } from "../support/hostile-urls.ts";
import { http } from "../support/http.ts";

/** The Worker with private addresses forbidden, on a network of the test's own: names, and who was called. */

const OPERATOR = "svc_operator_for-tests-0123456789abcdefghij";
const names = new Map<string, readonly string[]>();
const called: string[] = [];
let miniflare: Miniflare;
let base: string;

/** Answers the runtime's questions about names, and stands for every receiver. */
function network(request: Request): Response {
  const url = new URL(request.url);
  if (url.hostname !== "cloudflare-dns.com") {
    called.push(url.hostname);
    return new Response("ok");
  }
  const [name, type] = [url.searchParams.get("name") ?? "", url.searchParams.get("type")];
  const v6 = type === "AAAA";
  const addresses = (names.get(name) ?? []).filter((address) => address.includes(":") === v6);
  return Response.json({
    Status: names.has(name) ? 0 : 3,
    Question: [{ name, type: v6 ? 28 : 1 }],
    ...(addresses.length > 0 && {
      Answer: addresses.map((data) => ({ name, type: v6 ? 28 : 1, TTL: 1, data })),
    }),
  });
}

beforeAll(async () => {
  const config = readWorkerConfig();
  const ports = await claimPorts(0, 1);
  const settings = {
    ...(config.vars as Record<string, string>),
    SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
    SVC_OPERATOR_KEY: OPERATOR,
    SVC_BASE_URL: "https://api.sluice.dev",
  };
  const script = await bundleWorker(config.main);
  const { workers } = workersOf(config, { script, settings, ports, isReady: () => true });
  miniflare = new Miniflare({ workers: workers.map((worker) => ({ ...worker, outboundService: network })) });
  await miniflare.ready;
  const [database] = config.d1_databases;
  await migrate(await miniflare.getD1Database("DB"), join(ROOT, database?.migrations_dir ?? "migrations"));
  base = `http://127.0.0.1:${ports[0]}`;
});
afterAll(() => miniflare.dispose());

const ask = (method: string, path: string, body?: object) =>
  http(method, base + path, { key: OPERATOR, ...(body && { body }) });

async function newOrg(): Promise<string> {
  return (await ask("POST", "/v1/admin/orgs", { name: "Acme", environment: "test" })).body.org.id as string;
}

describe("an address to deliver to", () => {
  test("is refused when created or changed to, whatever the trick", async () => {
    const org = await newOrg();
    names.set("example.com", ["93.184.216.34"]);
    const good = await ask("POST", `/v1/orgs/${org}/webhooks`, {
      url: "https://example.com/",
      events: ["*"],
    });
    expect(good.status).toBe(201);
    const path = `/v1/orgs/${org}/webhooks/${good.body.id}`;
    for (const url of Object.values(HOSTILE).flat()) {
      const made = await ask("POST", `/v1/orgs/${org}/webhooks`, { url, events: ["*"] });
      const changed = await ask("PATCH", path, { url });
      for (const { status, body } of [made, changed]) {
        expect([url, status, body.error?.details.fields[0].field]).toEqual([url, 422, "url"]);
      }
    }
    expect((await ask("GET", path)).body.url).toBe("https://example.com/");
  });

  test("is refused when created if its name resolves to a private address, plain or among public ones", async () => {
    const org = await newOrg();
    names.set("inside.example.com", ["10.1.2.3"]);
    names.set("mixed.example.com", ["93.184.216.34", "fd00:ec2::254"]);
    for (const host of ["inside.example.com", "mixed.example.com"]) {
      const made = await ask("POST", `/v1/orgs/${org}/webhooks`, { url: `https://${host}/`, events: ["*"] });
      expect(made.body.error.details.fields).toMatchObject([{ field: "url" }]);
    }
  });

  test("is not called once its name has come to resolve to a private address, and is when that has passed", async () => {
    const org = await newOrg();
    names.set("rebind.example.com", ["93.184.216.34"]);
    const made = await ask("POST", `/v1/orgs/${org}/webhooks`, {
      url: "https://rebind.example.com/hook",
      events: ["*"],
    });
    const path = `/v1/orgs/${org}/webhooks/${made.body.id}`;
    const advance = (seconds: number) =>
      ask("POST", `/v1/admin/orgs/${org}/test-clock`, { advance_seconds: seconds });
    const calls = () => called.filter((host) => host === "rebind.example.com").length;
    const latest = async () => (await ask("GET", `${path}/deliveries`)).body.data[0];
    await ask("POST", `${path}/test`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "succeeded" });
    expect(calls()).toBe(1);

    for (const [index, address] of ["10.0.0.7", "169.254.169.254", "::1"].entries()) {
      names.set("rebind.example.com", [address]);
      if (index === 0) await ask("POST", `${path}/test`);
      else await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
      await advance(1);
      expect(await latest()).toMatchObject({
        status: "pending",

        error: "address_refused",
      });
    }
    names.delete("rebind.example.com");
    await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "pending", error: "unresolved" });
    expect(calls()).toBe(1);

    names.set("rebind.example.com", ["93.184.216.34", "2606:2800:220:1::1"]);
    await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "succeeded" });
    expect(calls()).toBe(2);
  });
});
