import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { useRealLives } from "../support/lives.ts";
import { type Answer, call, env, newOrg, operatorKey } from "../support/worker.ts";

/** The first decision of a key that the isolate does not know. */

useRealLives();

/** The Worker's environment, with every call to an org's object noted. A method named in `failing` rejects instead. */
function watched(calls: string[], failing: ReadonlyMap<string, Error> = new Map()): Env {
  const stubOf = (name: string) => {
    const stub = env.ORG.getByName(name);
    return new Proxy(stub, {
      get(_, method: string) {
        calls.push(method);
        const failure = failing.get(method);
        if (failure !== undefined) return () => Promise.reject(failure);
        return (...args: unknown[]) =>
          (stub as unknown as Record<string, (...given: unknown[]) => unknown>)[method]?.(...args);
      },
    });
  };
  return { ...env, ORG: { getByName: stubOf, jurisdiction: undefined } as unknown as Env["ORG"] };
}

interface Sent {
  readonly failing?: ReadonlyMap<string, Error>;
  readonly body?: object | string;
  readonly from?: string;
}

async function decide(key: string, { failing, body = ASK, from = "203.0.113.9" }: Sent = {}) {
  const calls: string[] = [];
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(text.length),
    "cf-connecting-ip": from,
  };
  const request = new Request("http://sluice.test/v1/edge/decision", { method: "POST", headers, body: text });
  const response = await worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    watched(calls, failing),
    createExecutionContext(),
  );
  return {
    calls,
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer["body"],
  };
}

const ASK = { estimate: { cost_usd: "1" } };

const budgetOf = async (orgId: string, key: string) =>
  (await call("GET", `/v1/orgs/${orgId}/budgets`, { key })).body.data[0];

async function budgeted(limit_usd = "10") {
  const org = await newOrg();
  const budget = { scope_kind: "org", limit_usd, period: "month", mode: "enforce" };
  const made = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: budget });
  expect(made.status).toBe(201);
  return { ...org, reserved: async () => (await budgetOf(org.id, org.ownerKey)).reserved_usd };
}

test("the object introduces the key and decides in one call", async () => {
  const org = await budgeted();
  const key = await org.mint("developer");
  const first = await decide(key);
  expect([first.status, first.calls]).toEqual([200, ["introduce"]]);
  expect(first.headers.get("x-svc-decided")).toBe("object");
  const second = await decide(key);
  expect([second.status, second.calls]).toEqual([200, ["decideTogether"]]);
  expect(second.body.reservation.id).not.toBe(first.body.reservation.id);
  expect(await org.reserved()).toBe("2.00");
});

test("a limit refuses the first decision in the same call, once", async () => {
  const org = await budgeted();
  const first = await decide(await org.mint("developer"), { body: { estimate: { cost_usd: "11" } } });
  expect([first.status, first.body.error.code, first.calls]).toEqual([402, "budget_exceeded", ["introduce"]]);
  const kept = await call("GET", `/v1/orgs/${org.id}/refusals`, { key: org.ownerKey });
  expect(kept.body.data.map((one: { trace_id: string }) => one.trace_id)).toEqual([
    first.headers.get("x-svc-trace-id"),
  ]);
});

test("a key of an org that the isolate has slices of is decided by the object, and only there", async () => {
  const org = await budgeted("100000");
  const key = await org.mint("developer");
  let [asked, here] = [0, 0];
  // By then its slices have grown: there is room for more than one call.
  while (here < 20 && asked < 500) {
    if ((await decide(org.ownerKey)).headers.get("x-svc-decided") === "edge") here += 1;
    asked += 1;
  }
  expect(here).toBe(20);
  const { headers, calls } = await decide(key, { body: { ...ASK, request_id: "first" } });
  expect([headers.get("x-svc-decided"), calls]).toEqual(["object", ["introduce"]]);
  await expect.poll(org.reserved).toBe(`${asked + 1}.00`);
});

test("where an org may be served is left to the isolate", async () => {
  const org = await budgeted();
  const body = { regions: ["local"] };
  const ruled = await call("PUT", `/v1/orgs/${org.id}/residency`, { key: org.ownerKey, body });
  expect(ruled.status).toBe(200);
  const { status, calls } = await decide(await org.mint("developer"));
  expect([status, calls]).toEqual([200, ["introduce", "decideTogether"]]);
  expect(await org.reserved()).toBe("1.00");
});

/** The org is changed so that a key, which the isolate has never seen, is refused. */
const REFUSED: Record<string, (orgId: string, ownerKey: string, key: string) => Promise<unknown>> = {
  gone: async (orgId, ownerKey) => {
    const path = `/v1/orgs/${orgId}/keys`;
    const { body } = await call("GET", path, { key: ownerKey });
    const { id } = body.data.find(({ role }: { role: string }) => role === "developer");
    return call("DELETE", `${path}/${id}`, { key: ownerKey });
  },
  org_suspended: (orgId) => call("POST", `/v1/admin/orgs/${orgId}/suspend`, { key: operatorKey() }),
  ip_not_allowed: (orgId, key) =>
    call("PATCH", `/v1/orgs/${orgId}`, { key, body: { ip_allow_list: ["198.51.100.0/24"] } }),
};

test.for(Object.keys(REFUSED))(
  "the object decides nothing for a caller that is refused: %s",
  async (code) => {
    const org = await budgeted();
    const key = await org.mint("developer");
    await REFUSED[code]?.(org.id, org.ownerKey, key);
    const { body, calls } = await decide(key);
    expect([body.error.code, calls]).toEqual([code, ["introduce"]]);
    const resumed = await call("POST", `/v1/admin/orgs/${org.id}/resume`, { key: operatorKey() });
    expect([200, 409]).toContain(resumed.status);
    const opened = { key: operatorKey(), body: { ip_allow_list: [] } };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, opened)).status).toBe(200);
    expect(await org.reserved()).toBe("0.00");
  },
);

test.for([
  ["viewer", {}, "forbidden"],
  ["developer", { scopes: ["runs:write"] }, "missing_scope"],
] as const)("the object decides nothing for a %s with %o", async ([role, more, code]) => {
  const org = await budgeted();
  const { body, calls } = await decide(await org.mint(role, more));
  expect([body.error.code, calls]).toEqual([code, ["introduce"]]);
  expect(await org.reserved()).toBe("0.00");
});

test("a body that only the pipeline understands is not sent along", async () => {
  const org = await budgeted();
  const key = await org.mint("developer");
  const { status, calls } = await decide(key, { body: { ...ASK, tags: { team: "a" } } });
  expect([status, calls]).toEqual([200, ["authenticate", "decideTogether"]]);
  const other = await decide(await org.mint("developer"), { body: "{" });
  expect([other.status, other.calls]).toEqual([422, ["authenticate"]]);
});

test("an object that fails is not asked a second time, because it may have decided", async () => {
  const org = await budgeted();
  const failing = new Map([["introduce", new Error("broken off")]]);
  const { body, calls } = await decide(await org.mint("developer"), { failing });
  expect([body.error.code, calls]).toEqual(["service_unavailable", ["introduce"]]);
});

test("a key that was never given out is refused without a call", async () => {
  const { body, calls } = await decide(`svc_live_${"0".repeat(52)}_${"x".repeat(49)}`, {
    from: "203.0.113.99",
  });
  expect([body.error.code, calls]).toEqual(["unauthorized", []]);
});
