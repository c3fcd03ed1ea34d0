import { describe, expect, test } from "vitest";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import { writeBatch } from "../../src/domain/refusal/batch.ts";
import { withTokens } from "../../src/gate/report/hold-line.ts";
import { writeAsk } from "../../src/gate/lease/wire.ts";
import { holdsOf } from "../support/holds.ts";
import { lengthenLives } from "../support/lives.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

const CENT = 10_000_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const send = async (org: TestOrg, method: "GET" | "POST" | "PUT", path: string, body?: object) =>
  (await call(method, `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body })).body;

const budgetOf = async (org: TestOrg, more: object = {}): Promise<string> =>
  (await send(org, "POST", "budgets", { scope_kind: "org", limit_usd: "64", period: "total", ...more })).id;

async function settle(org: TestOrg, line: string, more: object = {}) {
  const body = {
    model: "m",
    started_at: new Date().toISOString(),
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.01",
    reservation_id: line.slice(0, 30),
    ...more,
  };
  return call("POST", "/v1/runs", { key: org.ownerKey, body });
}

const idAt = (org: TestOrg, ms: number) => new ReservationIds(env.SVC_KEY_PEPPER, org.id).newId(ms);

describe("the time of a reported hold", () => {
  test("is not before its id was given out, so no limit is evaded by it", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, { scope_kind: "workflow", scope_id: "w", period: "month" });
    const gate = new OutsideGate(await org.mint("developer"));
    await gate.learn();
    const line = gate.line(0, { at: gate.orgNow - 40 * DAY_MS, heldMs: 900_000 });
    const lasting = gate.line(0, { at: gate.orgNow - 10 * MINUTE_MS });
    const { body } = await gate.report({ lines: [line, lasting] });
    // The first ended before its id was there.
    expect(body.refused).toEqual([line.slice(0, 30)]);
    const run = await settle(org, lasting, { workflow_id: "w", cost_usd: "5" });
    expect(run.status).toBe(201);
    expect(Date.parse(run.body.charged_at)).toBeGreaterThanOrEqual(gate.orgNow - 1000);
    expect((await send(org, "GET", `budgets/${budget}`)).spent_usd).toBe("5.00");
  });

  test("is not before any slice could have admitted it, though its id was kept for weeks", async () => {
    const org = await newOrg();
    const gate = new OutsideGate(org.ownerKey);
    await gate.learn();
    const long = gate.orgNow - 40 * DAY_MS;
    const line = gate.line(0, { id: idAt(org, long), at: long });
    expect((await gate.report({ lines: [line] })).body.refused).toEqual([]);
    const { body } = await settle(org, line);
    expect(Date.parse(body.charged_at)).toBeGreaterThan(gate.orgNow - 20 * MINUTE_MS);
  });

  test("is not in the future, and neither is its end beyond what a slice allows", async () => {
    const org = await newOrg();
    const gate = new OutsideGate(org.ownerKey);
    await gate.learn();
    const line = gate.line(0, { at: gate.orgNow + 1000 * DAY_MS });
    expect((await gate.report({ lines: [line] })).body.refused).toEqual([]);
    const [hold] = await holdsOf(org.id);
    expect(hold?.at).toBeLessThanOrEqual(Date.now());
    expect((hold?.expires_at ?? 0) - (hold?.at ?? 0)).toBe(900_000);
  });

  test("is in the window that it was held in, and takes nothing from what others hold in the next", async () => {
    const org = await newOrg({ environment: "test" });
    const budget = await budgetOf(org, { period: "day" });
    const advance = (seconds: number) =>
      call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
        key: operatorKey(),
        body: { advance_seconds: seconds },
      });
    const toMidnight = Math.floor((DAY_MS - (Date.now() % DAY_MS)) / 1000);
    // Two minutes before midnight.
    await advance(toMidnight + 86_400 - 120);
    const gate = new OutsideGate(org.ownerKey);
    await gate.learn();
    expect(await gate.lease(8 * CENT)).toBeGreaterThan(0);
    await advance(180);
    const ask = { estimate: { cost_usd: "0.05" } };
    await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: ask });
    const reserved = async () => (await send(org, "GET", `budgets/${budget}`)).reserved_usd;
    expect(await reserved()).toBe("0.05");
    const line = gate.line(CENT, { at: gate.orgNow + 180_000 });
    expect((await gate.report({ lines: [line] })).body.refused).toEqual([]);
    await call("DELETE", `/v1/edge/decision/${line.slice(0, 30)}`, { key: org.ownerKey });
    expect(await reserved()).toBe("0.05");
  });

  test("is of one hold only: an id that may have ended and been deleted is not taken again", async () => {
    const org = await newOrg({ environment: "test" });
    const gate = new OutsideGate(org.ownerKey);
    await gate.learn();
    const line = gate.line(0);
    await gate.report({ lines: [line] });
    expect((await settle(org, line)).status).toBe(201);
    const clock = `/v1/admin/orgs/${org.id}/test-clock`;
    const advance = () => call("POST", clock, { key: operatorKey(), body: { advance_seconds: 8 * 86_400 } });
    await advance();
    await expect.poll(() => holdsOf(org.id)).toEqual([]);
    const again = gate.line(0, { id: line.slice(0, 30), at: gate.orgNow + 8 * DAY_MS });
    expect((await gate.report({ lines: [again] })).body.refused).toEqual([line.slice(0, 30)]);
  });
});

describe("a rate limit", () => {
  async function limited(unit: "requests" | "tokens", limit: number, kind = "quota") {
    const org = await newOrg();
    const policy = { name: "p", match: {}, unit, limit, window_seconds: 2_592_000, kind };
    const set = await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
      key: operatorKey(),
      body: { read_rpm: null, policies: [policy] },
    });
    expect(set.status).toBe(200);
    lengthenLives();
    const gate = new OutsideGate(await org.mint("developer"));
    await gate.learn();
    const wants = (want: number) =>
      gate.rates.map((key) => ({ key, left: "0", want: String(want), least: "1" }));
    const available = async () => {
      const body = { dry_run: true, estimate: { cost_usd: "0.01", input_tokens: 1, max_output_tokens: 1 } };
      const answer = await call("POST", "/v1/edge/decision", { key: org.ownerKey, body });
      return [answer.body.decision, answer.body.limits[0].available];
    };
    return { org, gate, wants, available };
  }

  test.each(["quota", "rate"])("covers no more holds than it was leased for (%s)", async (kind) => {
    const { gate, wants, available } = await limited("requests", 6400, kind);
    const { body } = await gate.report({ wants: wants(8) });
    const leased = Number(body.leases.slices[0][1]);
    expect(leased).toBeGreaterThan(0);
    const lines = Array.from({ length: leased + 3 }, () => gate.line(0));
    const { body: reported } = await gate.report({ lines });
    expect(reported.refused).toEqual(lines.slice(leased).map((line) => line.slice(0, 30)));
    // The call that asks is counted too.
    expect(await available()).toEqual(["allow", 6400 - leased - 1]);
  });

  test("counts a hold from when its slice was given", async () => {
    const { org, gate, wants } = await limited("requests", 6400);
    await gate.report({ wants: wants(8) });
    const before = gate.orgNow - 10 * MINUTE_MS;
    const line = gate.line(0, { id: idAt(org, before), at: before });
    expect((await gate.report({ lines: [line] })).body.refused).toEqual([]);
    const { body } = await settle(org, line);
    expect(Date.parse(body.charged_at)).toBeGreaterThanOrEqual(gate.orgNow - 1000);
  });

  test("that was not leased admits no hold", async () => {
    const { org, gate, available } = await limited("requests", 5);
    const lines = Array.from({ length: 20 }, () => gate.line(0));
    expect((await gate.report({ lines })).body.refused).toHaveLength(20);
    expect(await holdsOf(org.id)).toEqual([]);
    expect(await available()).toEqual(["allow", 4]);
  });

  test("in tokens is not exhausted for others by one line", async () => {
    const { gate, wants, available } = await limited("tokens", 1_000_000);
    const { body } = await gate.report({ wants: wants(800) });
    expect(body.leases.slices[0][1]).toBe("800");
    const [many, few] = [withTokens(gate.line(0), 9_999_999_999_999), withTokens(gate.line(0), 800)];
    expect((await gate.report({ lines: [many, few] })).body.refused).toEqual([many.slice(0, 30)]);
    expect(await available()).toEqual(["allow", 999_200]);
  });

  test("is not needed for a hold to be refused that counts more tokens than any call", async () => {
    const gate = new OutsideGate((await newOrg()).ownerKey);
    await gate.learn();
    const [many, most] = [
      withTokens(gate.line(0), 2_000_000_000_001),
      withTokens(gate.line(0), 2_000_000_000_000),
    ];
    expect((await gate.report({ lines: [many, most] })).body.refused).toEqual([many.slice(0, 30)]);
  });
});

describe("reported refusals", () => {
  const sum = { hour: 0, count: 5, nanos: "1000", code: "budget_exceeded" };
  const report = (gate: OutsideGate, number: number, more: object[], notes: object[] = []) =>
    gate.report({ refusals: { number, notes, more } });
  /** By limit, over all hours. */
  const counted = async (org: TestOrg): Promise<Record<string, number>> => {
    const sums: Record<string, number> = {};
    const { data } = await send(org, "GET", "refusals/summary?group_by=limit");
    for (const { group, is_other, count } of data) {
      const limit = is_other ? "…" : group;
      sums[limit] = (sums[limit] ?? 0) + count;
    }
    return sums;
  };

  test("are refused if a report counts more than a gate can refuse", async () => {
    const org = await newOrg();
    const limit = await budgetOf(org);
    const gate = new OutsideGate(org.ownerKey);
    const counts = async (...given: number[]) =>
      report(
        gate,
        1,
        given.map((count) => ({ ...sum, limit, count })),
      );
    for (const given of [[Number.MAX_SAFE_INTEGER], [6_000_000, 6_000_000]]) {
      const { status, body } = await counts(...given);
      expect([status, body.error.details.fields[0]]).toEqual([
        422,
        expect.objectContaining({ field: "report.refusals.more", code: "too_many" }),
      ]);
    }
    expect((await counts(4_000_000, 6_000_000)).status).toBe(200);
    // As many as a key can have had that was not heard of before.
    expect(await counted(org)).toEqual({ [limit]: 50_000 });
  });

  test("are not counted under a limit that the org does not have, or that cannot refuse so", async () => {
    const org = await newOrg();
    const ours = await budgetOf(org);
    const theirs = await budgetOf(await newOrg());
    const own = await send(org, "POST", "customer-limits", {
      customer_id: "c1",
      limit_usd: "1",
      period: "day",
    });
    const gate = new OutsideGate(org.ownerKey);
    const details = {
      budget_id: ours,
      scope_kind: "org",
      limit_usd: "1.00",
      spent_usd: "1.00",
      period_start: "2026-11-01T00:00:00.000Z",
      period_end: null,
    };
    const note = {
      at: Date.now(),
      trace: "0b8ee0d4-58a2-4f0c-9a54-0d6f0b5a1c11",
      code: "budget_exceeded",
      limit: ours,
      details,
      nanos: "10000000",
    };
    const { status } = await report(
      gate,
      1,
      [
        { ...sum, limit: ours },
        { ...sum, limit: theirs },
        { ...sum, limit: "bud_invented" },
        { ...sum, limit: ours, code: "rate_limited" },
        { ...sum, limit: own.id, customer_id: "innocent" },
        { ...sum, limit: own.id },
        { ...sum, limit: own.id, customer_id: "c1", count: 3 },
      ],
      [note, { ...note, limit: theirs }, { ...note, details: { ...details, budget_id: theirs } }],
    );
    expect(status).toBe(200);
    expect(await counted(org)).toEqual({ "…": 27, [ours]: 6, [own.id]: 3 });
    expect((await send(org, "GET", "refusals")).data).toHaveLength(1);
  });

  test("of any number stored are summarized", async () => {
    const org = await newOrg();
    const group = { hour: Date.now(), keyId: null, customerId: null, workflowId: null };
    const many = { ...group, count: Number.MAX_SAFE_INTEGER, nanos: 10n ** 18n - 1n };
    const more = ["rate_limited", "budget_exceeded", "budget_exceeded"].map((code) => ({
      ...many,
      hour: many.hour - (many.hour % 3_600_000),
      code,
      limit: "bud_1",
    }));
    const ask = { holder: "isolate", attempt: 1, batches: [], wants: new Map() };
    const refusals = { number: 1, batch: writeBatch({ notes: [], more }) };
    await env.ORG.getByName(org.id).syncLeases(
      writeAsk({ ask, touches: [], watch: [], lagMs: 0, heard: null, refusals }),
    );
    for (const by of ["limit", "code"]) {
      const { count } = await send(org, "GET", `refusals/summary?group_by=${by}`);
      expect(count).toBe(Number.MAX_SAFE_INTEGER);
    }
  });
});
