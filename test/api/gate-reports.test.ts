import { describe, expect, test, vi } from "vitest";
import { Refused } from "../../src/client/gate/index.ts";
import { lengthenLives } from "../support/lives.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { call, newOrg, serve, type TestOrg } from "../support/worker.ts";
import { gateOf } from "../support/worker-gate.ts";

const ASK = { customer_id: "c1", model: "m", estimate: { cost_usd: "0.01" } };
const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.005" };
const MOST_CALLS = 2000;

async function budgetOf(org: TestOrg, limit: string): Promise<string> {
  const body = { scope_kind: "org", limit_usd: limit, period: "total" };
  return (await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body })).body.id;
}

const read = async (org: TestOrg, path: string) =>
  (await call("GET", `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey })).body;

describe("what a gate refuses by itself", () => {
  test("is kept by the service like its own refusals, each once", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "1");
    lengthenLives();
    const gate = gateOf(org.ownerKey);
    const refused: Refused[] = [];
    for (let at = 0; at < MOST_CALLS && gate.stats.refusedHere < 20; at += 1) {
      await gate.decide(ASK).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        refused.push(error);
      });
    }
    expect(gate.stats.refusedHere).toBe(20);
    await gate.close();
    const { data } = await read(org, "refusals?limit=100");
    expect(data).toHaveLength(refused.length);
    const last = refused.at(-1);
    expect(data[0]).toMatchObject({
      trace_id: last?.traceId,
      code: "budget_exceeded",
      customer_id: "c1",
      model: "m",
      decided: "edge",
      limit: budget,
      details: last?.details,
    });
    const summary = await read(org, "refusals/summary?group_by=code");
    expect(JSON.stringify(summary)).toContain(`"count":${refused.length}`);
  });

  const note = {
    at: 0,
    trace: "0b8ee0d4-58a2-4f0c-9a54-0d6f0b5a1c11",
    code: "spend_cap_exceeded",
    limit: "spend_cap",
    details: { cap_usd: "1.00", spent_usd: "1.00", resets_at: "2026-11-16T00:00:00Z" },
    nanos: "10000000",
  };

  test("is counted once though it is reported twice, under the key that reports it", async () => {
    const org = await newOrg();
    const limit = await budgetOf(org, "1");
    await call("PUT", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey, body: { cap_usd: "1" } });
    const gate = new OutsideGate(await org.mint("developer"));
    const more = [{ hour: 0, count: 7, nanos: "70000000", code: "budget_exceeded", limit, customer_id: "…" }];
    const refusals = { number: 1, notes: [note, { ...note, at: Date.now() + 900_000_000 }], more };
    for (let time = 0; time < 2; time += 1) expect((await gate.report({ refusals })).status).toBe(200);
    const { data } = await read(org, "refusals?limit=100");
    expect(data).toHaveLength(2);
    const keys = (await read(org, "keys")).data as { id: string; role: string }[];
    for (const one of data) {
      expect(one).toMatchObject({ key_id: keys.find(({ role }) => role === "developer")?.id });
      expect(Math.abs(Date.parse(one.at) - Date.now())).toBeLessThan(90_000_000);
    }
    const { data: lines } = await read(org, "refusals/summary?group_by=limit");
    expect(lines).toContainEqual(expect.objectContaining({ group: limit, count: 7, amount_usd: "0.07" }));
  });

  test.each([
    ["a code that no gate refuses with", { code: "org_suspended", details: {} }, "code"],
    ["details of another code", { details: { spent_usd: 1 } }, "details"],
    ["details that are too long", { details: { ...note.details, x: "x".repeat(3000) } }, "details"],
    ["a customer that is no id", { customer_id: "\n" }, "customer_id"],
  ])("is refused with %s", async (_, wrong, field) => {
    const gate = new OutsideGate((await newOrg()).ownerKey);
    const answer = await gate.report({ refusals: { number: 1, notes: [{ ...note, ...wrong }], more: [] } });
    expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([
      422,
      `report.refusals.notes[0].${field}`,
    ]);
  });
});

test("calls that passed while the service was away are counted, and told of later", async () => {
  const org = await newOrg();
  const told = async () => {
    const text = (await call("GET", "/metrics")).text;
    return Number(/^svc_ungoverned_calls_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  };
  const before = await told();
  let isAway = true;
  const gate = gateOf(org.ownerKey, {
    whenUnreachable: "allow",
    fetch: (url, init) => (isAway ? Promise.reject(new TypeError("fetch failed")) : serve(url, init)),
  });
  for (let at = 0; at < 3; at += 1) await gate.decide(ASK);
  await gate.flush();
  expect(await told()).toBe(before);
  isAway = false;
  await gate.close();
  expect(await told()).toBe(before + 3);
  await gate.close();
  expect([await told(), gate.stats.ungoverned]).toEqual([before + 3, 3]);
  const liar = new OutsideGate(org.ownerKey);
  await liar.exchange({ ungoverned: Number.MAX_SAFE_INTEGER });
  // Ten seconds of five thousand calls each, and what the key could have had in the time that this test takes.
  const most = 10 * 5_000 + 60 * 5_000;
  const believed = (await told()) - before;
  expect(believed).toBeGreaterThan(3);
  expect(believed).toBeLessThan(most);
});

test("a gate that reports more refusals than its key can have had is believed up to that", async () => {
  const org = await newOrg();
  const budget = await budgetOf(org, "0");
  const liar = new OutsideGate(org.ownerKey);
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const sum = { hour, count: 9_000_000, nanos: "9000000", code: "budget_exceeded", limit: budget };
  const refusals = { number: 1, notes: [], more: [sum] };
  await liar.exchange({ report: { attempt: 1, touches: [], batches: [], wants: [], watch: [], refusals } });
  const { count, amount_usd } = await read(org, "refusals/summary");
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(10 * 5_000 + 60 * 5_000);
  expect(Number(amount_usd) * 1e9).toBeCloseTo(count, 0);
});

test("calls whose runs are dropped are logged, counted by reason, and told of", async () => {
  const org = await newOrg();
  const told = async (reason: string) => {
    const text = (await call("GET", "/metrics")).text;
    const series = new RegExp(`^svc_unsettled_calls_total\\{reason="${reason}"\\} (\\d+)$`, "m");
    return Number(series.exec(text)?.[1] ?? Number.NaN);
  };
  const before = await told("rejected");
  const lines: string[] = [];
  const logging = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  const gate = gateOf(org.ownerKey);
  const allowed = await gate.decide(ASK);
  const run = { id: "r", model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.01" };
  gate.settle(allowed, run);
  gate.settle(allowed, { ...run, id: "again" });
  await gate.close();
  logging.mockRestore();
  expect(gate.stats).toMatchObject({ runsSent: 1, runsRejected: 1, runsQueued: 0 });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: "run not recorded", code: "conflict", run_id: "again", reservation_id: allowed.reservation?.id },
  ]);
  expect(await told("rejected")).toBe(before + 1);
  await gate.close();
  expect(await told("rejected")).toBe(before + 1);
  const liar = new OutsideGate(org.ownerKey);
  const [overflow, expired] = [await told("overflow"), await told("expired")];
  await liar.exchange({ unsettled: { expired: 2 } });
  await liar.exchange({ unsettled: { overflow: Number.MAX_SAFE_INTEGER } });
  expect(await told("expired")).toBe(expired + 2);
  // No more than a key can have asked in a minute.
  expect((await told("overflow")) - overflow).toBeLessThanOrEqual(300_000);
  expect((await liar.exchange({ unsettled: { invented: 1 } })).status).toBe(422);
});

test("a reservation can be renewed, though the gate has not reported it", async () => {
  const org = await newOrg();
  const budget = await budgetOf(org, "1000");
  const gate = gateOf(org.ownerKey);
  let allowed = await gate.decide(ASK);
  for (let at = 0; at < MOST_CALLS && gate.stats.allowedHere === 0; at += 1) allowed = await gate.decide(ASK);
  expect(gate.stats.allowedHere).toBe(1);
  const renewed = await gate.renew(allowed, { hold_seconds: 3600, amount_usd: "5" });
  expect(renewed).toMatchObject({ id: allowed.reservation?.id, amount_usd: "5.00" });
  await expect(gate.renew(allowed, { amount_usd: "2000" })).rejects.toMatchObject({
    code: "budget_exceeded",
  });
  await expect(gate.renew({ reservation: null }, {})).rejects.toThrow(/nothing was reserved/);
  await gate.close();
  const reserved = Number((await read(org, `budgets/${budget}`)).reserved_usd);
  expect(reserved).toBeCloseTo(5 + (gate.stats.asked + gate.stats.allowedHere - 1) / 100, 5);
});

test("with waitUntil, what is waited for sends every run", async () => {
  const org = await newOrg();
  const gate = gateOf(org.ownerKey, { flushMs: 1 });
  const waited: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void waited.push(work);
  for (let at = 0; at < 5; at += 1) gate.settle(await gate.decide(ASK), RUN, { waitUntil });
  expect(waited.length).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await Promise.all(waited.splice(0));
      return gate.stats.runsSent;
    })
    .toBe(5);
});
