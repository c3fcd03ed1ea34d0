import { describe, expect, test } from "vitest";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import { lengthenLives } from "../support/lives.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

const CENT = 10_000_000;

async function budget(org: TestOrg, limit: string, more: object = { scope_kind: "org" }): Promise<string> {
  const body = { limit_usd: limit, period: "total", ...more };
  const made = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body });
  expect(made.status).toBe(201);
  return made.body.id;
}

async function reserved(org: TestOrg, id: string): Promise<string> {
  const { body } = await call("GET", `/v1/orgs/${org.id}/budgets/${id}`, { key: org.ownerKey });
  return body.reserved_usd;
}

/** An org with a budget, and a gate outside that has slices of it. */
async function leased(limit = "64") {
  const org = await newOrg();
  const id = await budget(org, limit);
  const key = await org.mint("developer");
  const gate = new OutsideGate(key);
  await gate.learn();
  const amount = await gate.lease(8 * CENT);
  return { org, id, key, gate, amount };
}

describe("a gate outside", () => {
  test("is leased a slice, holds from it, and gives back the rest", async () => {
    const { org, id, gate, amount } = await leased();
    expect(amount).toBe(8 * CENT);
    expect(await reserved(org, id)).toBe("0.08");
    const line = gate.line(CENT);
    const { body } = await gate.report({ lines: [line] });
    expect(body.refused).toEqual([]);
    expect(await reserved(org, id)).toBe("0.01");
    const run = {
      started_at: new Date().toISOString(),
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.004",
      reservation_id: line.slice(0, 30),
    };
    expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
    expect(await reserved(org, id)).toBe("0.00");
  });

  test("asks what it cannot decide, and is told the verdict or the refusal", async () => {
    const org = await newOrg();
    await budget(org, "0.02");
    const gate = new OutsideGate(org.ownerKey);
    const asked = async (cost: string) =>
      (await gate.exchange({ ask: { estimate: { cost_usd: cost } } })).body.verdict;
    expect(JSON.parse((await asked("0.02")).text)).toMatchObject({ decision: "allow" });
    const { refusal, decisionPlan } = await asked("0.01");
    expect(refusal).toMatchObject({ status: 402, code: "budget_exceeded" });
    expect(decisionPlan.accounts[0].usage.held).toEqual({ $bigint: "20000000" });
  });

  test("is given nothing to decide from where everything is checked", async () => {
    const org = await newOrg();
    await budget(org, "9");
    const when = 'model == "secret-model"';
    const rule = { target: "model", effect: "deny", when, reason: "no", priority: 1, mode: "enforce" };
    const made = await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.ownerKey, body: rule });
    expect(made.status).toBe(201);
    const gate = new OutsideGate(org.ownerKey);
    const told = async (more: object) => {
      const { body } = await gate.exchange({
        ask: { model: "m", estimate: { cost_usd: "0.01" }, ...more },
        learn: true,
      });
      expect(JSON.parse(body.verdict.text)).toMatchObject({ decision: "allow" });
      expect(JSON.stringify(body)).not.toContain("secret-model");
      return [body.verdict.decisionPlan, body.verdict.touch];
    };
    expect(await told({ checks: "all" })).toEqual([null, null]);
    expect((await told({ on_expiry: "charge" })).includes(null)).toBe(false);
    expect((await told({})).includes(null)).toBe(false);
    const body = { decision_defaults: { checks: "all" } };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body })).status).toBe(200);
    expect(await told({})).toEqual([null, null]);
  });

  test("is told to charge what nobody settles, if its key may only decide", async () => {
    const org = await newOrg();
    const end = async (key: string) => (await new OutsideGate(key).exchange({})).body.on_expiry;
    expect(await end(await org.mint("developer", { scopes: ["decisions:evaluate"] }))).toBe("charge");
    expect(await end(await org.mint("developer"))).toBe("release");
  });

  test("reports a batch once, however often it is sent", async () => {
    const { org, id, gate } = await leased();
    const batches = [{ number: 1, holds: [{ touch: 0, lines: [gate.line(CENT)] }] }];
    for (let time = 0; time < 3; time += 1) {
      expect((await gate.report({ batches })).body.refused).toEqual([]);
    }
    expect(await reserved(org, id)).toBe("0.01");
  });

  test("gets no answer to a report that comes late", async () => {
    const { gate } = await leased();
    expect((await gate.report({ attempt: 1 })).body.leases).toBeNull();
  });

  test("keeps what it says that it keeps after the limits have changed, and is given no more of it", async () => {
    const { org, id, gate } = await leased();
    await budget(org, "1", { scope_kind: "workflow", scope_id: "other" });
    const { body } = await gate.report({ left: 8 * CENT, want: 16 * CENT });
    expect(body.leases).toMatchObject({ slices: [], usage: [] });
    expect(await reserved(org, id)).toBe("0.08");
    // Made before the answer came.
    expect((await gate.report({ lines: [gate.line(CENT)] })).body.refused).toEqual([]);
    expect(await reserved(org, id)).toBe("0.01");
  });

  test("may say that it keeps what nobody has, and the object goes on", async () => {
    const { org, id, gate } = await leased();
    const weekly = { match: {}, period: "week", anchor_day: 3, timezone: "Europe/Berlin" };
    const other = await budget(org, "5", weekly);
    for (const start of ["1e300", "-1e300", "NaN", "1e15", "x"]) {
      const key = `usd\n${start}\n\n${other}\n\nx`;
      const wants = [{ key, left: "1", want: "0", least: "0" }];
      expect([start, (await gate.report({ wants })).status]).toEqual([start, 200]);
    }
    expect(await reserved(org, id)).toBe("0.00");
  });

  test("gives back what it no longer keeps after the limits have changed", async () => {
    const { org, id, gate } = await leased();
    await budget(org, "1", { scope_kind: "workflow", scope_id: "other" });
    await gate.report({ left: 3 * CENT, want: 16 * CENT, renews: 0 });
    expect(await reserved(org, id)).toBe("0.03");
    await gate.report();
    expect(await reserved(org, id)).toBe("0.00");
  });

  test("is told no other names that have limits, no alerts, and no limits of other keys", async () => {
    const org = await newOrg();
    await budget(org, "1", { scope_kind: "workflow", scope_id: "secret-project" });
    await budget(org, "9", { scope_kind: "org", alert_thresholds: ["0.8"] });
    const [one, other] = [await org.mint("developer"), await org.mint("developer")];
    const { body: keys } = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
    const rate = { unit: "requests", limit: 900, window_seconds: 60, kind: "rate" };
    const policies = [
      { name: "all", match: {}, ...rate },
      ...keys.data.map(({ id }: { id: string }, index: number) => ({
        name: `k${index}`,
        match: { key_id: id },
        ...rate,
      })),
      { name: "vip", match: { customer_id: "secret-customer" }, ...rate },
    ];
    await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
      key: operatorKey(),
      body: { read_rpm: null, policies },
    });
    const gate = new OutsideGate(one);
    const told = await gate.learn();
    expect(told.verdict.policies).toHaveLength(2);
    const text = JSON.stringify(told);
    expect(text).not.toContain("secret-");
    expect(text).not.toContain("thresholds");
    expect(text).not.toContain(other.slice(35, 61));
    expect(told.verdict.decisionPlan.matters).toEqual({
      department: [],
      workflow: null,
      deployment: [],
      customer: true,
    });
  });
});

describe("a hostile gate", () => {
  test.each([
    ["more than its slice", 9 * CENT],
    ["a whole budget", 64_000_000_000],
  ])("cannot hold %s", async (_, nanos) => {
    const { org, id, gate } = await leased();
    const line = gate.line(nanos);
    const { body } = await gate.report({ lines: [line], left: 8 * CENT });
    expect(body.refused).toEqual([line.slice(0, 30)]);
    expect(await reserved(org, id)).toBe("0.08");
    const released = await call("DELETE", `/v1/edge/decision/${line.slice(0, 30)}`, { key: org.ownerKey });
    expect(await reserved(org, id)).toBe("0.08");
    expect([204, 404]).toContain(released.status);
  });

  test("cannot hold more than its slice by many holds, in one report or in several", async () => {
    const { org, id, gate } = await leased();
    const { body } = await gate.report({ lines: Array.from({ length: 10 }, () => gate.line(CENT)) });
    expect(body.refused).toHaveLength(2);
    expect((await gate.report({ lines: [gate.line(CENT)] })).body.refused).toHaveLength(1);
    expect(await reserved(org, id)).toBe("0.08");
  });

  test("cannot say that it has more left than it was given", async () => {
    const { org, id, gate } = await leased();
    await gate.report({ left: 64_000_000_000, want: 8 * CENT });
    expect((await gate.report({ lines: [gate.line(9 * CENT)] })).body.refused).toHaveLength(1);
    expect(await reserved(org, id)).toBe("0.00");
  });

  test("cannot name a hold with an id that was not given out, or twice", async () => {
    const { org, id, gate } = await leased();
    const invented = `rsv_${"0".repeat(26)}`;
    const [elsewhere, named] = [
      new ReservationIds(env.SVC_KEY_PEPPER, "org_2").newId(gate.orgNow),
      new ReservationIds(env.SVC_KEY_PEPPER, org.id).idOf("r", "q", gate.orgNow),
    ];
    const twice = gate.ids[0] ?? "";
    const lines = [invented, elsewhere, named, twice, twice].map((one) => gate.line(CENT, { id: one }));
    const { body } = await gate.report({ lines, left: 7 * CENT });
    expect(body.refused).toEqual([invented, elsewhere, named, twice]);
    expect((await gate.report({ lines: [gate.line(CENT, { id: twice })] })).body.refused).toEqual([twice]);
    expect(await reserved(org, id)).toBe("0.01");
  });

  test("cannot hold for longer than a slice allows, or in the future", async () => {
    const { gate } = await leased();
    const lines = [gate.line(CENT, { heldMs: 900_001 }), gate.line(CENT, { heldMs: 0 })];
    expect((await gate.report({ lines, left: 8 * CENT })).body.refused).toHaveLength(2);
    const ahead = gate.line(CENT, { at: gate.orgNow + 3_600_000 });
    expect((await gate.report({ lines: [ahead] })).body.refused).toEqual([]);
  });

  test.each([
    ["changed", (token: string) => `${token.slice(0, 20)}A${token.slice(21)}`],
    ["unsigned", (token: string) => token.split(".")[0] ?? ""],
    ["empty", () => ""],
  ])("cannot use a touch that is %s", async (_, spoil) => {
    const { gate } = await leased();
    gate.touches = gate.touches.map(spoil);
    const { status, body } = await gate.report({ want: CENT });
    expect(status).toBe(422);
    expect(body.error.details.fields[0].field).toBe("report.touches");
  });

  test("cannot use a touch of another key or another org, nor hear of limits that it does not touch", async () => {
    const { org, gate } = await leased();
    const thief = new OutsideGate(await org.mint("developer"));
    thief.touches = gate.touches;
    expect((await thief.report({})).status).toBe(422);
    const stranger = new OutsideGate((await newOrg()).ownerKey);
    stranger.touches = gate.touches;
    expect((await stranger.report({})).status).toBe(422);
    const curious = new OutsideGate(await org.mint("developer"));
    const wants = gate.keys.map((key) => ({ key, left: "0", want: "1000", least: "1" }));
    const { body } = await curious.report({ wants, watch: gate.keys });
    expect(body.leases).toMatchObject({ slices: [], usage: [], rates: [] });
  });

  test("cannot go by a touch from before a limit was added", async () => {
    const { org, id, gate } = await leased();
    await gate.report({});
    const other = await budget(org, "0.02");
    const { body } = await gate.report({ want: 8 * CENT });
    expect(body.leases.slices).toEqual([]);
    expect((await gate.report({ lines: [gate.line(CENT)] })).body.refused).toHaveLength(1);
    expect(await reserved(org, id)).toBe("0.00");
    expect(await reserved(org, other)).toBe("0.00");
  });

  test("cannot speak for a gate of another key, whatever it calls itself", async () => {
    const { org, id, gate } = await leased();
    const thief = new OutsideGate(await org.mint("developer"), gate.holder);
    await thief.learn();
    expect((await thief.report({ lines: [thief.line(CENT)] })).body.refused).toHaveLength(1);
    expect(await reserved(org, id)).toBe("0.08");
  });

  test("cannot have so many names that nobody else gets a share", async () => {
    const { org, key, gate: first } = await leased("640000");
    const leasedTo = async () => {
      const gate = new OutsideGate(key);
      await gate.learn();
      return gate.lease(8 * CENT);
    };
    for (let made = 1; made < 100; made += 1) expect(await leasedTo()).toBeGreaterThan(0);
    expect(await leasedTo()).toBe(0);
    // What one of them has is still its own.
    expect((await first.report({ left: 8 * CENT, want: 16 * CENT })).body.leases.slices).toEqual([]);
    expect((await first.report({ lines: [first.line(CENT)] })).body.refused).toEqual([]);
    const other = new OutsideGate(await org.mint("developer"));
    await other.learn();
    expect(await other.lease(8 * CENT)).toBeGreaterThan(0);
  });
});

describe("the key", () => {
  const plain = { version: 1, holder: "gate-for-tests" };
  const post = (key: string, body: object = plain) => call("POST", "/v1/edge/leases", { key, body });

  test("needs the scope and the role of a decision, and an org", async () => {
    const org = await newOrg();
    const scoped = await post(await org.mint("developer", { scopes: ["runs:write"] }));
    expect(scoped).toMatchObject({ status: 403 });
    expect(scoped.body.error).toMatchObject({
      code: "missing_scope",
      details: { required: "decisions:evaluate" },
    });
    expect((await post(await org.mint("viewer"))).body.error.code).toBe("forbidden");
    expect((await post(operatorKey())).body.error.code).toBe("forbidden");
    expect((await post(await org.mint("developer", { scopes: ["decisions:evaluate"] }))).status).toBe(200);
  });

  test("is checked on every exchange, and when it is taken away no gate goes by it any more", async () => {
    const org = await newOrg();
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.ownerKey,
      body: { name: "gate", role: "developer" },
    });
    const { key, id } = minted.body;
    await post(key);
    const askedAt = Date.now();
    const { body } = await post(key);
    const until = askedAt + body.valid_ms;
    const revoked = await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey });
    expect(revoked.status).toBe(204);
    expect(Date.now()).toBeGreaterThanOrEqual(until - 1);
    expect((await post(key)).status).toBe(410);
  });

  test("is waited out from its last exchange, whenever it was last proved", async () => {
    const org = await newOrg();
    const body = { name: "gate", role: "developer" };
    const { body: minted } = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
    const actor = { kind: "key", id: minted.id, role: "developer", onBehalfOf: null, address: null } as const;
    const envelope = { actor, trace: "test", idempotency: null, ifMatch: null };
    const askedAt = Date.now();
    const answer = await env.ORG.getByName(org.id).exchangeLeases({ ...plain, version: 1 }, envelope);
    const until = askedAt + JSON.parse(answer?.text ?? "{}").valid_ms;
    await call("DELETE", `/v1/orgs/${org.id}/keys/${minted.id}`, { key: org.ownerKey });
    expect(Date.now()).toBeGreaterThanOrEqual(until - 1);
  });

  test("of a suspended org leases nothing", async () => {
    const { org, key } = await leased();
    await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey(), body: {} });
    expect((await post(key)).body.error.code).toBe("org_suspended");
  });

  test("that expires soon is good for no longer than that", async () => {
    const org = await newOrg({ environment: "test" });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const key = await org.mint("developer", { expires_at: expires });
    const clock = `/v1/admin/orgs/${org.id}/test-clock`;
    await call("POST", clock, { key: operatorKey(), body: { advance_seconds: 3_500 } });
    lengthenLives();
    expect((await post(org.ownerKey)).body.valid_ms).toBe(600_000);
    expect((await post(key)).body.valid_ms).toBeLessThanOrEqual(100_000);
  });
});

describe("the wire", () => {
  test.each([
    ["another version", { version: 2 }, "version"],
    ["no version", { version: undefined }, "version"],
    ["a field that it does not know", { more: 1 }, "more"],
    ["a name that is too short", { holder: "short" }, "holder"],
    ["too many ids", { ids: 1001 }, "ids"],
    ["an ask that is none", { ask: {} }, "ask.estimate"],
  ])("refuses %s with 422 and names it", async (_, spoilt, field) => {
    const { ownerKey: key } = await newOrg();
    const body = { version: 1, holder: "gate-for-tests", ...spoilt };
    const answer = await call("POST", "/v1/edge/leases", { key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.fields[0].field).toBe(field);
  });

  test("refuses holds that are not written as holds, and more of them than one exchange takes", async () => {
    const { ownerKey: key } = await newOrg();
    const gate = new OutsideGate(key);
    const fieldOf = async (lines: string[]) => (await gate.report({ lines })).body.error.details.fields[0];
    expect(await fieldOf(["rsv_1"])).toMatchObject({ field: "report.batches[0].holds[0].lines[0]" });
    const line = gate.line(1, { id: `rsv_${"0".repeat(26)}` });
    expect(await fieldOf(Array.from({ length: 6001 }, () => line))).toMatchObject({ code: "too_many" });
  });

  test("is counted by rate limits that name its route, and by no other", async () => {
    const org = await newOrg();
    const limit = async (match: object) => {
      const policy = { name: "few", match, unit: "requests", limit: 1, window_seconds: 3600, kind: "rate" };
      const body = { read_rpm: null, policies: [policy] };
      await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey(), body });
    };
    const gate = new OutsideGate(org.ownerKey);
    const statuses = async () => [(await gate.exchange({})).status, (await gate.exchange({})).status];
    await limit({});
    expect(await statuses()).toEqual([200, 200]);
    await limit({ route: "POST /v1/edge/leases" });
    expect(await statuses()).toEqual([200, 429]);
  });
});
