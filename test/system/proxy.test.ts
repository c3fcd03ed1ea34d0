import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainMiniflare } from "../../scripts/plain-miniflare.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";

/** The recipes of docs/proxy.md, each in front of a model stub and the real service. */
const RECIPES = join(import.meta.dirname, "../../docs/proxy");
const NGINX = spawnSync("nginx", ["-v"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "sluice-proxy-"));
const model = createServer((request, response) => {
  response.setHeader("x-got-reservation", request.headers["x-sluice-reservation-id"] ?? "none");
  request.resume().on("end", () => response.end("the model speaks"));
});

let server: Server;
let modelUrl: string;
let broke: string;
let brokeOrg: string;
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
  brokeOrg = poor.id;
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

async function refusalsOf(orgId: string, key: string): Promise<{ customer_id: string | null }[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${server.urls[0]}/v1/orgs/${orgId}/refusals?limit=100`, { headers });
  const page = (await answer.json()) as { data: { customer_id: string | null }[] };
  return page.data;
}

/** A recipe with its placeholders filled in. */
function filled(file: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(RECIPES, file), "utf8");
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** What the recipes reserve for each call. */
const ESTIMATE_USD = "0.40";

/** An organization with one dollar. */
async function newDollar(): Promise<string> {
  const { id, key } = await newOrg();
  const body = { scope_kind: "org", limit_usd: "1", period: "month", mode: "enforce" };
  expect((await ask("POST", `/v1/orgs/${id}/budgets`, key, body)).status).toBe(201);
  return key;
}

/** Everything that a caller might try: one id for all its calls, no cost, another customer each time. */
function hostileHeaders(attempt: number): Record<string, string> {
  const headers: Record<string, string> = { authorization: "Bearer nobody", "x-api-key": "nobody" };
  for (const prefix of ["x-", "x-sluice-"]) {
    headers[`${prefix}request-id`] = "always-this";
    headers[`${prefix}estimate-usd`] = "0";
    headers[`${prefix}customer-id`] = `customer-${attempt}`;
  }
  return headers;
}

/** Two calls of 0.40 fit into a dollar, whatever callers send. */
async function expectTwoPass(passes: (attempt: number) => Promise<boolean>): Promise<void> {
  const passed: boolean[] = [];
  for (let attempt = 0; attempt < 20; attempt += 1) passed.push(await passes(attempt));
  expect(passed.filter(Boolean)).toHaveLength(2);
}

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
  const through = await told(await fetch(`${url}/v1/chat`));
  return { direct, through };
}

describe("the Worker of the recipe", () => {
  async function withWorker(key: string, check: (url: string) => Promise<void>): Promise<void> {
    const proxy = plainMiniflare({
      modules: true,
      script: readFileSync(join(RECIPES, "worker.js"), "utf8"),
      compatibilityDate: "2026-07-30",
      bindings: { SLUICE_URL: server.urls[0], SLUICE_KEY: key, MODEL_URL: modelUrl, ESTIMATE_USD },
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

  test("takes nothing from a hostile caller", async () =>
    withWorker(await newDollar(), (url) =>
      expectTwoPass(async (attempt) => {
        const answer = await fetch(`${url}/v1/chat`, { headers: hostileHeaders(attempt) });
        return (await answer.text()) === "the model speaks";
      }),
    ));

  test("allows a call, and says which hold it has", () =>
    withWorker(free, async (url) => {
      const answer = await fetch(`${url}/v1/chat`);
      expect(await answer.text()).toBe("the model speaks");
      expect(answer.headers.get("x-reservation-id")).toMatch(/^rsv_/);
    }));
});

describe.runIf(NGINX)("nginx with the recipe's configuration", () => {
  async function withNginx(
    key: string,
    check: (url: string) => Promise<void>,
    sluice = server.urls[0],
  ): Promise<void> {
    const [port = 0] = await claimPorts(0, 1);
    const values: Record<string, string> = {
      FOLDER: folder,
      PORT: String(port),
      MODEL_URL: modelUrl,
      SLUICE_URL: sluice,
      SLUICE_KEY: key,
      ESTIMATE_USD,
    };
    for (const file of ["nginx.conf", "refused.conf"])
      writeFileSync(join(folder, file), filled(file, values));
    const nginx: ChildProcess = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")]);
    try {
      const url = `http://127.0.0.1:${port}`;
      await expect.poll(() => isListening(port)).toBe(true);
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

  test("takes nothing from a hostile caller", async () =>
    withNginx(await newDollar(), (url) =>
      expectTwoPass(async (attempt) => {
        const answer = await fetch(`${url}/v1/chat`, { headers: hostileHeaders(attempt) });
        return (await answer.text()) === "the model speaks";
      }),
    ));

  test("allows a call, whatever its method and body, and says which hold it has", () =>
    withNginx(free, async (url) => {
      const body = "x".repeat(10_000);
      for (const init of [{}, { method: "POST", body }, { method: "DELETE" }]) {
        const forged = { "x-sluice-reservation-id": "rsv_forged" };
        const answer = await fetch(`${url}/v1/chat`, { ...init, headers: forged });
        expect(await answer.text()).toBe("the model speaks");
        expect(answer.headers.get("x-got-reservation")).toMatch(/^rsv_[0-9A-Z]{26}$/);
      }
    }));

  test("asks once for a call that is refused", () =>
    withNginx(broke, async (url) => {
      await expect.poll(async () => (await refusalsOf(brokeOrg, broke)).length).toBeGreaterThan(0);
      const before = (await refusalsOf(brokeOrg, broke)).length;
      for (let time = 0; time < 3; time += 1) expect((await fetch(`${url}/v1/chat`)).status).toBe(402);
      await expect.poll(async () => (await refusalsOf(brokeOrg, broke)).length).toBeGreaterThan(before + 2);
      expect(await refusalsOf(brokeOrg, broke)).toHaveLength(before + 3);
    }));

  test.each([
    ["a key that is not valid", "svc_live_nonsense", undefined, [401, "unauthorized"]],
    ["a service that does not answer", "", "http://127.0.0.1:9", [503, "service_unavailable"]],
  ])("refuses every call with %s", (_, key, sluice, expected) =>
    withNginx(
      key,
      async (url) => {
        const answer = await fetch(`${url}/v1/chat`);
        const { error } = (await answer.json()) as { error: { code: string } };
        expect([answer.status, error.code]).toEqual(expected);
      },
      sluice,
    ),
  );
});

interface EnvoyHeaders {
  readonly patterns: readonly { readonly exact?: string; readonly prefix?: string }[];
}
interface ExtAuthz {
  readonly allowed_headers?: EnvoyHeaders;
  readonly failure_mode_allow: boolean;
  readonly http_service: {
    readonly server_uri: { readonly uri: string };
    readonly path_prefix: string;
    readonly authorization_request: { readonly headers_to_add: readonly { key: string; value: string }[] };
    readonly authorization_response: Record<
      "allowed_upstream_headers" | "allowed_client_headers",
      EnvoyHeaders
    >;
  };
}

describe("Envoy with the recipe's configuration, by what it documents", () => {
  const matches = ({ patterns }: EnvoyHeaders, name: string) =>
    patterns.some(({ exact, prefix }) => name === exact || (prefix !== undefined && name.startsWith(prefix)));
  const only = (list: EnvoyHeaders, headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => matches(list, name)));

  function extAuthzOf(key: string): ExtAuthz {
    const text = filled("envoy.json", { SLUICE_URL: server.urls[0], SLUICE_KEY: key, ESTIMATE_USD });
    const found: ExtAuthz[] = [];
    JSON.parse(text, (name, value: { "@type"?: string }) => {
      if (name === "typed_config" && value["@type"]?.endsWith(".v3.ExtAuthz") === true) {
        found.push(value as unknown as ExtAuthz);
      }
      return value;
    });
    const [config] = found;
    if (config === undefined) throw new Error("the recipe has no ext_authz filter");
    return config;
  }

  /** The client's method and path under the prefix, no body, its key, its listed headers, and those that are added in their place. */
  async function through(key: string, method: string, client: Record<string, string>) {
    const { allowed_headers: allowed, http_service: http } = extAuthzOf(key);
    const listed = { patterns: [{ exact: "authorization" }, ...(allowed?.patterns ?? [])] };
    const headers = new Headers(only(listed, new Headers(client)));
    for (const added of http.authorization_request.headers_to_add) headers.set(added.key, added.value);
    const address = `${http.server_uri.uri}${http.path_prefix}/v1/chat/completions?stream=true`;
    const answer = await fetch(address, { method, headers });
    const { allowed_upstream_headers: upstream, allowed_client_headers: back } = http.authorization_response;
    return answer.status === 200
      ? { status: 200, upstream: only(upstream, answer.headers) }
      : { status: answer.status, body: await answer.text(), client: only(back, answer.headers) };
  }

  test("allows a call, and names its reservation to the model", async () => {
    expect(extAuthzOf(free).failure_mode_allow).toBe(false);
    for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const client = { authorization: "Bearer sk-provider" };
      expect(await through(free, method, client)).toEqual({
        status: 200,
        upstream: { "x-sluice-reservation-id": expect.stringMatching(/^rsv_/) as unknown },
      });
    }
  });

  test.each([402, 429])("passes on a refusal with %i byte for byte", async (status) => {
    const key = status === 402 ? broke : throttled;
    const body = { estimate: { cost_usd: "0.01" } };
    const direct = await told(await ask("POST", "/v1/edge/decision", key, body));
    const relayed = await through(key, "POST", {});
    expect(relayed).toMatchObject({ status: direct.status, body: direct.body });
    expect(relayed.client?.["content-type"]).toBe("application/json");
    expect(relayed.client?.["retry-after"] ?? null).toBe(direct.retryAfter);
  });

  test("takes nothing from a hostile caller", async () => {
    const key = await newDollar();
    await expectTwoPass(
      async (attempt) => (await through(key, "POST", hostileHeaders(attempt))).status === 200,
    );
  });
});

describe("LiteLLM with the recipe's configuration, by what it documents", () => {
  /** Settings of the guardrail, `name: value` a line. */
  function settings(key: string): Record<string, string> {
    const text = filled("litellm.yaml", { SLUICE_URL: server.urls[0], SLUICE_KEY: key, ESTIMATE_USD });
    const guardrail = text.slice(text.indexOf("guardrails:"));
    const lines = [...guardrail.matchAll(/^ +(?:- )?([\w-]+): "?([^"\n]+)"?$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, value])) as Record<string, string>;
  }

  async function guard(key: string, customer: string, callId: string = crypto.randomUUID()) {
    const { api_base: base, api_key: given = "", ...rest } = settings(key);
    const fixed = Object.entries(rest).filter(([name]) => name.startsWith("x-sluice-"));
    const body = {
      input_type: "request",
      litellm_call_id: callId,
      litellm_trace_id: null,
      structured_messages: [{ role: "user", content: "Hello" }],
      images: null,
      tools: null,
      tool_calls: null,
      texts: ["Hello"],
      request_data: { user_api_key_end_user_id: customer },
      additional_provider_specific_params: { "x-sluice-estimate-usd": "0", request_id: "always-this" },
    };
    const headers = { "content-type": "application/json", "x-api-key": given, ...Object.fromEntries(fixed) };
    const url = `${base}/beta/litellm_basic_guardrail_api`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const verdict = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, action: verdict["action"], ...verdict };
  }

  test("lets a call pass, and reserves what the configuration says", async () => {
    expect(await guard(free, "c1")).toMatchObject({
      status: 200,
      action: "NONE",
      reservation: { amount_usd: ESTIMATE_USD },
    });
  });

  test("takes nothing that decides about money from a hostile caller", async () => {
    const key = await newDollar();
    await expectTwoPass(async (attempt) => {
      const { action } = await guard(key, `customer-${attempt}`, "always-this");
      return action === "NONE";
    });
  });

  test("blocks a call that a limit denies", async () => {
    expect(await guard(broke, "c1")).toMatchObject({
      status: 200,
      action: "BLOCKED",
      blocked_reason: expect.stringContaining("budget_exceeded") as unknown,
    });
    await expect
      .poll(async () => (await refusalsOf(brokeOrg, broke)).map((refusal) => refusal.customer_id))
      .toContain("c1");
  });
});

test.runIf(!NGINX)("nginx is not installed here: its recipe was not run", () => {
  expect(NGINX).toBe(false);
});

/** Whether something takes connections there. A request would already be a call. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
