import { Hono } from "hono";
import { parseItem } from "structured-headers";
import { describe, expect, test } from "vitest";
import { parseImfFixdate } from "../../src/contract/http-date.ts";
import type { Env } from "../../src/edge/env.ts";
import { signals } from "../../src/edge/request/signals.ts";
import { call, env, newOrg, operatorKey, type Answer } from "../support/worker.ts";

const SECRET = "/v1/admin/orgs/{org_id}/webhook-secret";

/** Parsed strictly. Undefined if the response carries none. */
function signalOf(headers: Headers): object | undefined {
  if (!headers.has("deprecation")) return undefined;
  const [since] = parseItem(headers.get("deprecation") ?? "");
  const sunset = headers.get("sunset") ?? "";
  const links = [...(headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="([a-z-]+)"/g)];
  return {
    since: (since as Date).toISOString(),
    sunset: parseImfFixdate(sunset) === undefined ? "not an IMF-fixdate" : sunset,
    ...Object.fromEntries(links.map(([, target, rel]) => [rel, target])),
  };
}

const signalOfGet = {
  since: "2026-07-22T00:00:00.000Z",
  sunset: "Fri, 31 Dec 2027 23:59:59 GMT",
  deprecation: "http://127.0.0.1:8787/docs",
  "successor-version": "/v1/orgs/{id}/webhooks/{sub_id}/signing",
};
const signalOfRotate = { ...signalOfGet, "successor-version": `${signalOfGet["successor-version"]}/rotate` };

function expectSignal(status: number, answer: Answer, signal: object = signalOfGet): void {
  expect(answer.status).toBe(status);
  expect(signalOf(answer.headers)).toEqual(signal);
}

describe("the deprecated webhook-secret routes are signalled on", () => {
  test("200, 404 before the first rotate, HEAD, OPTIONS and a method that is not served", async () => {
    const org = await newOrg();
    const path = SECRET.replace("{org_id}", org.id);
    const key = org.ownerKey;
    expectSignal(404, await call("GET", path, { key }));
    expectSignal(200, await call("POST", `${path}/rotate`, { key }), signalOfRotate);
    expectSignal(200, await call("GET", path, { key }));
    expectSignal(200, await call("HEAD", path, { key }));
    expectSignal(204, await call("OPTIONS", path));
    expectSignal(404, await call("DELETE", path, { key }));
    expectSignal(404, await call("GET", `${path}/rotate`, { key }), signalOfRotate);
    expectSignal(404, await call("OPTIONS", `${path}/rotate`), signalOfRotate);
  });

  test("401, 403 for the role, 403 for the scope, 404 of another tenant and 410", async () => {
    const from = "203.0.113.99";
    const org = await newOrg();
    const other = await newOrg();
    const path = SECRET.replace("{org_id}", org.id);
    expectSignal(401, await call("GET", path, { from }));
    expectSignal(401, await call("GET", path, { key: "svc_live_forged", from }));
    expectSignal(403, await call("GET", path, { key: await org.mint("viewer") }));
    expectSignal(403, await call("GET", path, { key: await org.mint("admin", { scopes: ["org:read"] }) }));
    expectSignal(404, await call("GET", path, { key: other.ownerKey }));
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.ownerKey,
      body: { name: "gone", role: "admin" },
    });
    const { id, key } = minted.body as { id: string; key: string };
    await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey });
    expectSignal(410, await call("GET", path, { key }));
  });

  test("403 of a suspended org, 409 and 422", async () => {
    const org = await newOrg();
    const path = `${SECRET.replace("{org_id}", org.id)}/rotate`;
    const ask = (idempotencyKey: string, query = "") =>
      call("POST", `${path}${query}`, { key: org.ownerKey, headers: { "idempotency-key": idempotencyKey } });
    expectSignal(422, await ask("x".repeat(256)), signalOfRotate);
    expectSignal(200, await ask("once"), signalOfRotate);
    expectSignal(409, await ask("once", "?other=1"), signalOfRotate);
    await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey() });
    expectSignal(403, await ask("later"), signalOfRotate);
  });
});

describe("the middleware", () => {
  const app = new Hono<{ Bindings: Env }>()
    .use(signals)
    .get("/v1/forecast", (context) => {
      const status = Number(context.req.query("status"));
      if (status === 500) throw new Error("a failure of ours");
      return new Response(null, { status, headers: { "x-svc-region": "local" } });
    })
    .onError((_error, context) => context.json({}, 500));

  async function ask(status: number, bindings: object = env): Promise<Response> {
    const pending: Promise<unknown>[] = [];
    const context = {
      waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
      passThroughOnException: () => undefined,
      props: {},
    };
    const answer = await app.request(`/v1/forecast?status=${status}`, {}, bindings, context);
    await Promise.all(pending);
    return answer;
  }

  test.each([200, 402, 413, 429, 500, 503])("signals with every status: %d", async (status) => {
    const answer = await ask(status);
    expect(answer.status).toBe(status);
    expect(signalOf(answer.headers)).toMatchObject({ "successor-version": "/v1/capacity/forecasts" });
  });

  test("responds and signals even if the registry and the counters are unreachable", async () => {
    const unreachable = {
      getByName: () => ({
        copy: () => Promise.reject(new Error("unreachable")),
        add: () => Promise.reject(new Error("unreachable")),
      }),
    };
    await scheduler.wait(1000);
    const answer = await ask(200, { ...env, REGISTRY: unreachable, COUNTERS: unreachable });
    expect(answer.status).toBe(200);
    expect(signalOf(answer.headers)).toMatchObject({ sunset: "Wed, 31 Dec 2036 23:59:59 GMT" });
  });

  test("does not wait for a registry that hangs", async () => {
    const hanging = { getByName: () => ({ copy: () => scheduler.wait(60_000) }) };
    await scheduler.wait(1000);
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (promise: Promise<unknown>) => void pending.push(promise) };
    const answer = await app.request(
      "/v1/forecast?status=200",
      {},
      { ...env, REGISTRY: hanging },
      context as never,
    );
    expect(signalOf(answer.headers)).toBeDefined();
  });
});
