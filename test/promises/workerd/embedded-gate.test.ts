import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createGate, type GateBinding, Refused, Unreachable } from "../../../src/client/gate/index.ts";
import { call, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { gateOf } from "../../support/worker-gate.ts";
import { BUSY_MS, lengthenLives } from "../../support/lives.ts";

const ASK = { estimate: { cost_usd: "0.01" } };
const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.005" };
const MOST_CALLS = 3000;

async function budgetOf(
  org: TestOrg,
  limit: string,
): Promise<() => Promise<{ spent_usd: string; reserved_usd: string }>> {
  const path = `/v1/orgs/${org.id}/budgets`;
  const body = { scope_kind: "org", limit_usd: limit, period: "total" };
  const { body: made } = await call("POST", path, { key: org.ownerKey, body });
  return async () => (await call("GET", `${path}/${made.id}`, { key: org.ownerKey })).body;
}

const codeOf = (error: unknown): string => (error instanceof Refused ? error.code : String(error));

/** Decides until something refuses; how often it was allowed, and what refused. */
async function drive(gate: ReturnType<typeof createGate>, most = MOST_CALLS) {
  const allowed = [];
  for (let at = 0; at < most; at += 1) {
    try {
      allowed.push(await gate.decide(ASK));
    } catch (error) {
      return { allowed, refusedBy: codeOf(error) };
    }
  }
  return { allowed, refusedBy: null };
}

describe("a gate in the caller's process", () => {
  test("decides by itself under steady traffic, and every hold of it reaches the service", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1000");
    lengthenLives(BUSY_MS);
    const gate = gateOf(org.ownerKey);
    const { allowed } = await drive(gate, 300);
    expect(allowed).toHaveLength(300);
    expect(gate.stats.allowedHere).toBeGreaterThan(100);
    expect(new Set(allowed.map(({ reservation }) => reservation?.id)).size).toBe(300);
    await gate.close();
    expect(await budget()).toMatchObject({ reserved_usd: "3.00" });
    expect(gate.stats).toMatchObject({ holdsRefused: 0, ungoverned: 0 });
  });

  test("leaves every decision to the service once the org's default is to check everything", async () => {
    const org = await newOrg();
    await budgetOf(org, "1000");
    lengthenLives(BUSY_MS);
    const gate = gateOf(org.ownerKey);
    await drive(gate, 300);
    const before = gate.stats.allowedHere;
    expect(before).toBeGreaterThan(100);
    const body = { decision_defaults: { checks: "all" } };
    const changed = await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body });
    expect(changed.status).toBe(200);
    const { allowed } = await drive(gate, 50);
    expect(allowed).toHaveLength(50);
    expect(gate.stats.allowedHere).toBe(before);
    await gate.close();
  });

  test("settles in bulks, each run once, though answers are lost", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1000");
    let calls = 0;
    const gate = gateOf(org.ownerKey, {
      fetch: async (url, init) => {
        const response = await serve(url, init);
        if (!url.endsWith("/v1/runs/bulk") || (calls += 1) % 2 === 0) return response;
        await response.text();
        throw new TypeError("the connection was lost");
      },
    });
    const { allowed } = await drive(gate, 120);
    for (const one of allowed) gate.settle(one, RUN);
    await gate.close();
    expect(gate.stats).toMatchObject({ runsQueued: 0, runsSent: 120, runsRejected: 0 });
    expect(await budget()).toMatchObject({ spent_usd: "0.60", reserved_usd: "0.00" });
  });

  test("never passes a limit, beside other gates and callers over HTTP", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "8");
    const gates = [gateOf(org.ownerKey), gateOf(org.ownerKey), gateOf(org.ownerKey)];
    const overHttp = async () => {
      for (let allowed = 0; allowed < MOST_CALLS; allowed += 1) {
        const { status } = await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: ASK });
        if (status !== 200) return allowed;
      }
      return MOST_CALLS;
    };
    const [http, ...embedded] = await Promise.all([overHttp(), ...gates.map((gate) => drive(gate))]);
    const total = embedded.reduce((sum, { allowed }) => sum + allowed.length, http ?? 0);
    expect(embedded.map(({ refusedBy }) => refusedBy)).toEqual(Array(3).fill("budget_exceeded"));
    expect(total).toBeLessThanOrEqual(800);
    await Promise.all(gates.map((gate) => gate.close()));
    // The isolate that answers over HTTP has slices too, and gives them back in its own time.
    await expect.poll(async () => (await budget()).reserved_usd).toBe((total / 100).toFixed(2));
  });

  test("stops when its key is revoked or its org suspended, and not later than the answer says", async () => {
    const org = await newOrg();
    await budgetOf(org, "1000");
    const body = { name: "gate", role: "developer" };
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
    const revoked = gateOf(minted.body.key);
    const suspended = gateOf(org.ownerKey);
    await drive(revoked, 100);
    await drive(suspended, 100);
    await call("DELETE", `/v1/orgs/${org.id}/keys/${minted.body.id}`, { key: org.ownerKey });
    expect((await drive(revoked, 1)).refusedBy).toBe("gone");
    await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey(), body: {} });
    expect((await drive(suspended, 1)).refusedBy).toBe("org_suspended");
  });

  test("goes by a lowered limit and by rate limits as soon as they are answered", async () => {
    const org = await newOrg();
    const gate = gateOf(org.ownerKey);
    await drive(gate, 100);
    const policy = {
      name: "p",
      match: {},
      unit: "requests",
      limit: 120,
      window_seconds: 3600,
      kind: "quota",
    };
    await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
      key: operatorKey(),
      body: { read_rpm: null, policies: [policy] },
    });
    const { allowed, refusedBy } = await drive(gate);
    expect(refusedBy).toBe("quota_exhausted");
    expect(allowed.length).toBeLessThanOrEqual(120);
    expect(allowed.length).toBeGreaterThan(100);
  });

  test("asks the service about a request that has an id, and hears the same verdict again", async () => {
    const org = await newOrg();
    const gate = gateOf(org.ownerKey);
    await drive(gate, 60);
    const named = { ...ASK, request_id: "r-1" };
    const [one, other] = [await gate.decide(named), await gateOf(org.ownerKey).decide(named)];
    expect(other.reservation).toEqual(one.reservation);
  });

  test("proves its key, and tells what limits count by as soon as the change is answered", async () => {
    const org = await newOrg();
    const { body: minted } = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.ownerKey,
      body: { name: "gate", role: "developer" },
    });
    const nothing = {
      checks: "limits",
      countedBy: new Set(),
      scansInput: false,
      sendsSpans: false,
      fallbacks: null,
    };
    expect(await gateOf(minted.key).facts()).toEqual(nothing);
    const body = { match: { user_id: "u" }, limit_usd: "1", period: "month" };
    expect((await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body })).status).toBe(201);
    const gate = gateOf(minted.key);
    expect(await gate.facts()).toEqual({ ...nothing, countedBy: new Set(["user_id"]) });
    await call("DELETE", `/v1/orgs/${org.id}/keys/${minted.id}`, { key: org.ownerKey });
    expect(await gate.facts().catch(codeOf)).toBe("gone");
    expect(await gateOf(minted.key.replace(/.$/, "~")).facts().catch(codeOf)).toBe("unauthorized");
  });

  test("releases what was not used", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1000");
    const gate = gateOf(org.ownerKey);
    const { allowed } = await drive(gate, 60);
    for (const one of allowed) await gate.release(one);
    await gate.close();
    expect(await budget()).toMatchObject({ reserved_usd: "0.00" });
  });
});

describe("while the service cannot be reached", () => {
  const away = { fetch: () => Promise.reject(new TypeError("fetch failed")) };

  test("a gate refuses", async () => {
    const { ownerKey } = await newOrg();
    await expect(gateOf(ownerKey, away).decide(ASK)).rejects.toBeInstanceOf(Unreachable);
  });

  test("a gate that was told to allow does, counts it, and reports the run as incurred", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1");
    let isAway = true;
    const gate = gateOf(org.ownerKey, {
      whenUnreachable: "allow",
      fetch: (url, init) => (isAway ? away.fetch() : serve(url, init)),
    });
    const allowed = await gate.decide(ASK);
    expect(allowed).toMatchObject({ decision: "allow", reservation: null });
    expect(gate.stats.ungoverned).toBe(1);
    gate.settle(allowed, RUN);
    isAway = false;
    await expect.poll(async () => (await budget()).spent_usd).toBe("0.005");
  });

  test("a refusal is still a refusal, whatever the gate was told", async () => {
    const org = await newOrg();
    await budgetOf(org, "0");
    expect((await drive(gateOf(org.ownerKey, { whenUnreachable: "allow" }), 1)).refusedBy).toBe(
      "budget_exceeded",
    );
  });

  test("a gate with too many runs to report allows nothing more", async () => {
    const org = await newOrg();
    let isAway = false;
    const gate = gateOf(org.ownerKey, {
      mostQueued: 10,
      whenUnreachable: "allow",
      fetch: (url, init) => (isAway ? away.fetch() : serve(url, init)),
    });
    const { allowed } = await drive(gate, 10);
    isAway = true;
    for (const one of allowed) gate.settle(one, RUN);
    await expect(gate.decide(ASK)).rejects.toThrow(/wait to be reported/);
    isAway = false;
    await expect
      .poll(() =>
        gate.decide(ASK).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await gate.close();
    expect(gate.stats.runsSent).toBe(10);
  });
});

test("a malformed run holds up no other", async () => {
  const org = await newOrg();
  const rejected: unknown[] = [];
  const gate = gateOf(org.ownerKey, { onError: (_, run) => rejected.push(run.model) });
  const { allowed } = await drive(gate, 8);
  for (const [at, one] of allowed.entries()) gate.settle(one, { ...RUN, model: at === 5 ? "" : "m" });
  await gate.close();
  expect(gate.stats).toMatchObject({ runsSent: 7, runsRejected: 1, runsQueued: 0 });
  expect(rejected).toEqual([""]);
});

test("a key that is no org's is refused at once", () => {
  expect(() => gateOf("operator")).toThrow(/must be an API key of an organization/);
});

describe("over a binding to the Gate entrypoint", () => {
  const binding = (exports as unknown as { Gate: GateBinding }).Gate;

  test("a gate decides, settles and releases", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1000");
    lengthenLives(BUSY_MS);
    const gate = createGate({ key: org.ownerKey, binding, flushMs: 20, timeoutMs: PATIENCE_MS });
    const { allowed } = await drive(gate, 60);
    expect(gate.stats.allowedHere).toBeGreaterThan(0);
    for (const one of allowed.slice(0, 50)) gate.settle(one, RUN);
    for (const one of allowed.slice(50)) await gate.release(one);
    await gate.close();
    expect(await budget()).toMatchObject({ spent_usd: "0.25", reserved_usd: "0.00" });
  });

  test("each call is checked as over HTTP", async () => {
    const org = await newOrg();
    const decided = await binding.decide(org.ownerKey, ASK);
    expect(decided.status).toBe(200);
    expect(JSON.parse(decided.text)).toMatchObject({ decision: "allow" });
    expect((await binding.decide("svc_live_wrong", ASK)).status).toBe(401);
    expect((await binding.settle(await org.mint("viewer"), [])).status).toBe(403);
    expect((await binding.leases(org.ownerKey, { version: 9 })).status).toBe(422);
    expect((await binding.release(org.ownerKey, "rsv_none/../..")).status).toBe(404);
    await call("PATCH", `/v1/orgs/${org.id}`, {
      key: org.ownerKey,
      body: { ip_allow_list: ["127.0.0.1/32"] },
    });
    expect((await binding.decide(org.ownerKey, ASK)).status).toBe(403);
  });
});

test("a gate in the caller's process decides by budgets that match, in any unit and by groups", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const make = async (body: object) =>
    (await call("POST", path, { key: org.ownerKey, body: { match: {}, period: "total", ...body } })).body;
  const grouped = await make({ group_by: ["user_id"], limit: "1000" });
  const tokens = await make({ match: { model: "m*" }, unit: "tokens", limit: 1_000_000 });
  const runs = await make({ match: { tags: { team: "red" } }, unit: "runs", limit: 1_000_000 });
  lengthenLives(BUSY_MS);
  const gate = gateOf(org.ownerKey);
  const estimate = { cost_usd: "0.01", input_tokens: 7, max_output_tokens: 0 };
  for (let at = 0; at < 400; at += 1) {
    const names = at % 2 === 0 ? { user_id: "alice", tags: { team: "red" } } : { user_id: "bob" };
    await gate.decide({ model: "m1", estimate, ...names });
  }
  expect(gate.stats.allowedHere).toBeGreaterThan(100);
  await gate.close();
  expect(gate.stats.holdsRefused).toBe(0);
  const read = async (at: string) => (await call("GET", `${path}/${at}`, { key: org.ownerKey })).body;
  const { data } = await read(`${grouped.id}/groups`);
  expect(data.map((one: { group: string; reserved: string }) => [one.group, one.reserved])).toEqual([
    ["alice", "2.00"],
    ["bob", "2.00"],
  ]);
  expect([(await read(tokens.id)).reserved, (await read(runs.id)).reserved]).toEqual([2800, 200]);
});
