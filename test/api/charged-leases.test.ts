import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createGate, type GateBinding, type GateOptions } from "../../src/client/gate/index.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { call, serve } from "../support/worker.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { gateOf } from "../support/worker-gate.ts";
import { BUSY_MS, lengthenLives } from "../support/lives.ts";

/** Calls that are charged when nobody settles them, decided from slices in the Worker and in a caller's process. */

const CENT = 10_000_000;
const HELD_SECONDS = 900;
const NAMES = {
  model: "m",
  provider: "p",
  workflow_id: "w",
  customer_id: "c",
  user_id: "u",
  tags: { team: "red" },
};
const ESTIMATE = { cost_usd: "0.01", input_tokens: 7, max_output_tokens: 5 };
const ASK = { ...NAMES, estimate: ESTIMATE, on_expiry: "charge" } as const;
const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.005" };

async function newBudget(org: Spender, body: object = {}): Promise<() => Promise<string[]>> {
  const scope = { scope_kind: "org", limit_usd: "1000", period: "total", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", { ...scope, ...body })).body;
  return async () => {
    const { spent_usd, reserved_usd } = (await org.send("GET", `budgets/${id}`)).body;
    return [spent_usd, reserved_usd];
  };
}

const MOST_LISTED = 200;

const unreported = async (org: Spender) =>
  (await call("GET", `/v1/runs?outcome=unreported&limit=${MOST_LISTED}`, { key: org.key })).body
    .data as Record<string, unknown>[];

test("the Worker decides them from slices, and each becomes a run of what was asked", async () => {
  const org = await newSpender();
  const budget = await newBudget(org);
  lengthenLives(BUSY_MS);
  const atEdge = new Set<string>();
  let calls = 0;
  for (; atEdge.size < 10 && calls < MOST_LISTED; calls += 1) {
    const { status, body, headers } = await org.decide("0.01", ASK);
    expect(status).toBe(200);
    if (headers.get("x-svc-decided") === "edge") atEdge.add(body.reservation.id);
  }
  expect(atEdge.size).toBe(10);
  const spent = (calls * 0.01).toFixed(2);
  // The isolate reports in the background, and gives back the rest of its slices.
  await expect.poll(budget).toEqual(["0.00", spent]);
  await org.advance(HELD_SECONDS + 1);
  expect(await budget()).toEqual([spent, "0.00"]);
  const runs = await unreported(org);
  expect(runs).toHaveLength(calls);
  const ofEdge = runs.filter((run) => atEdge.has(String(run["reservation_id"])));
  expect(ofEdge).toHaveLength(atEdge.size);
  const usage = { input_tokens: 7, output_tokens: 5 };
  for (const run of ofEdge) expect(run).toMatchObject({ ...NAMES, usage, cost_usd: "0.01", estimated: true });
  const [key, ...others] = (await org.send("GET", "usage/report?group_by=key_id")).body.data;
  expect([key.runs, others]).toEqual([calls, []]);
});

const WAYS: readonly (readonly [string, (key: string) => GateOptions])[] = [
  [
    "over HTTP",
    (key) => ({ key, url: "http://sluice.test", fetch: serve, flushMs: 20, timeoutMs: PATIENCE_MS }),
  ],
  [
    "over the Gate entrypoint",
    (key) => ({
      key,
      binding: (exports as unknown as { Gate: GateBinding }).Gate,
      flushMs: 20,
      timeoutMs: PATIENCE_MS,
    }),
  ],
];

describe.each(WAYS)("a gate in the caller's process, %s,", (_how, optionsOf) => {
  test("decides them from slices; what is settled is charged as its run, and the rest as reserved", async () => {
    const org = await newSpender();
    const budget = await newBudget(org);
    lengthenLives(BUSY_MS);
    const gate = createGate(optionsOf(org.key));
    const allowed = [];
    for (let at = 0; at < 200; at += 1) allowed.push(await gate.decide(ASK));
    expect(gate.stats.allowedHere).toBeGreaterThan(100);
    for (const one of allowed.slice(0, 50)) gate.settle(one, RUN);
    for (const one of allowed.slice(50, 60)) await gate.release(one);
    await gate.close();
    expect(gate.stats).toMatchObject({ holdsRefused: 0, runsSent: 50 });
    expect(await budget()).toEqual(["0.25", "1.40"]);
    await org.advance(HELD_SECONDS + 1);
    expect(await budget()).toEqual(["1.65", "0.00"]);
    const runs = await unreported(org);
    expect(runs).toHaveLength(140);
    const usage = { input_tokens: 7, output_tokens: 5 };
    for (const run of runs) expect(run).toMatchObject({ ...NAMES, usage, cost_usd: "0.01" });
    const keys = (await org.send("GET", "usage/report?group_by=key_id")).body.data;
    expect(keys).toMatchObject([{ runs: 190 }]);
    // A run that comes after all takes the place of what was charged for it.
    gate.settle(allowed[100] ?? "", RUN);
    await gate.close();
    expect(await budget()).toEqual(["1.645", "0.00"]);
    expect(await unreported(org)).toHaveLength(139);
  });
});

test("a gate follows the org's default", async () => {
  const org = await newSpender();
  const budget = await newBudget(org);
  const body = { decision_defaults: { on_expiry: "charge" } };
  expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.key, body })).status).toBe(200);
  lengthenLives(BUSY_MS);
  const gate = gateOf(org.key);
  for (let at = 0; at < 100; at += 1) await gate.decide({ estimate: ESTIMATE });
  expect(gate.stats.allowedHere).toBeGreaterThan(50);
  await gate.close();
  await org.advance(HELD_SECONDS + 1);
  expect(await budget()).toEqual(["1.00", "0.00"]);
});

describe("a gate outside that lies", () => {
  async function leased(ask: object = { estimate: ESTIMATE }) {
    const org = await newSpender();
    const budget = await newBudget(org);
    const ofWorkflow = await newBudget(org, { scope_kind: "workflow", scope_id: "w" });
    const gate = new OutsideGate(org.key);
    await gate.learn(ask);
    await gate.lease(8 * CENT);
    return { org, budget, ofWorkflow, gate };
  }

  test("cannot name a workflow that it has no slice for, nor leave out the one that it has", async () => {
    for (const [ask, said, runs] of [
      [{ estimate: ESTIMATE }, "w", [{ workflow_id: null, user_id: "u" }]],
      [{ estimate: ESTIMATE, workflow_id: "w" }, undefined, [{ workflow_id: "w", user_id: "u" }]],
    ] as const) {
      const { org, budget, ofWorkflow, gate } = await leased(ask);
      const charged = { call: { user_id: "u", ...(said === undefined ? {} : { workflow_id: said }) } };
      const { body } = await gate.report({ lines: [gate.line(CENT)], charged });
      expect(body.refused).toEqual([]);
      await org.advance(HELD_SECONDS + 1);
      expect(await unreported(org)).toMatchObject(runs);
      expect(await budget()).toEqual(["0.01", "0.00"]);
      expect(await ofWorkflow()).toEqual([said === undefined ? "0.01" : "0.00", "0.00"]);
    }
  });

  test("cannot name another key, another field or more input than tokens", async () => {
    const { gate } = await leased();
    for (const said of [{ key_id: "key_A" }, { keyId: "key_A" }, { input: "x" }, { model: 1 }]) {
      const { status } = await gate.report({ lines: [gate.line(CENT)], charged: { call: said } });
      expect(status).toBe(422);
    }
    const line = `${gate.line(CENT)} 5`;
    const { body } = await gate.report({ lines: [line], charged: { call: {}, inputs: [6] } });
    expect(body.refused).toEqual([line.slice(0, 30)]);
  });

  test("is charged no more often than it has slices for, however often it reports", async () => {
    const { org, budget, gate } = await leased();
    const batches = [{ number: 1, holds: [{ touch: 0, lines: [gate.line(CENT)], call: {} }] }];
    for (let time = 0; time < 3; time += 1) await gate.report({ batches });
    await org.advance(HELD_SECONDS + 1);
    await gate.report({ batches });
    expect(await budget()).toEqual(["0.01", "0.00"]);
    expect(await unreported(org)).toHaveLength(1);
  });
});
