import { beforeAll, expect, test } from "vitest";
import type { Meter } from "../../src/domain/meter/meter.ts";
import { loadRulesEngine } from "../../src/domain/policy/engine-loading.ts";
import { judgeHere } from "../../src/edge/decision/judge.ts";
import type { Judge } from "../../src/gate/snapshot/caller.ts";
import type * as gate from "../../src/gate/index.ts";
import type { KnownChecks } from "../../src/gate/snapshot/decision-plan.ts";
import { taughtIsolate } from "../support/taught-isolate.ts";

/** Decisions that are checked against everything, in an isolate that has compiled rules before. */
beforeAll(loadRulesEngine);

const START = Date.parse("2027-01-01T00:00:00Z");
const meter = (kind: "plan_runs" | "plan_tokens" | "budget", limit: bigint): Meter => ({
  id: kind,
  kind,
  scope: { kind: "org", id: "" },
  limit,
  window: { kind: "period", period: "month" },
  mode: "enforce",
  sinceMs: 0,
});
const METERS = [meter("plan_runs", 100n), meter("plan_tokens", 1000n), meter("budget", 10n ** 12n)];
const RULE = {
  id: "pol_A",
  target: "model",
  effect: "deny",
  when: 'model == "bad"',
  reason: "r",
  priority: 0,
  mode: "enforce",
} as const;
const CHECKS: KnownChecks = {
  rules: [RULE, { ...RULE, id: "pol_B", when: 'model == "odd"', mode: "shadow" }],
  detectors: [{ id: "email", kind: "builtin", action: "block" }],
};
const ASK: gate.DecisionAsk = {
  checks: "all",
  model: "good",
  estimate: { cost_usd: "0.01", input_tokens: 5, max_output_tokens: 2 },
};

interface IsolateSetup {
  readonly judge: Judge | null;
  readonly decisionPlan: { readonly checks?: KnownChecks | null };
}

async function isolate(
  { judge, decisionPlan }: IsolateSetup = { judge: judgeHere, decisionPlan: { checks: CHECKS } },
) {
  const { org, decide } = await taughtIsolate({
    start: START,
    meters: METERS,
    decisionPlan,
    learned: ASK,
    wished: ASK,
    granted: (want) => ({ add: want, share: want }),
    judge,
  });
  return { org, decide: (more: object = {}) => decide({ ...ASK, ...more }) };
}

test("what rules and detectors have nothing to say about is allowed, from slices of the plan and the limits", async () => {
  const { decide } = await isolate();
  const text = decide({ input: "hello" });
  if (typeof text !== "string") throw new Error("the isolate decides by itself");
  expect(JSON.parse(text).limits).toEqual([
    { kind: "plan_runs", id: "plan_runs", available: expect.any(Number) },
    { kind: "plan_tokens", id: "plan_tokens", available: expect.any(Number) },
    { kind: "budget", id: "budget", available_usd: expect.any(String) },
  ]);
});

test("a plan's runs and tokens are taken like dollars, and none is allowed beyond the slice", async () => {
  const { decide } = await isolate();
  let allowed = 0;
  while (typeof decide() === "string" && allowed < 1000) allowed += 1;
  // Eight calls were wished for, four times over.
  expect(allowed).toBe(32);
});

test.each([
  ["a rule denies", { model: "bad" }],
  ["a shadow rule matches", { model: "odd" }],
  ["a detector blocks", { input: "jane.doe@example.com" }],
  ["no model is named", { model: undefined }],
  ["the input is too long to scan here", { input: "a@".repeat(400_000) }],
  ["it is in a chain", { chain: { chain_id: "x" } }],
  ["it names an approval", { approval_id: "apr_A" }],
  ["it is a dry run", { dry_run: true }],
])("the object decides where %s", async (_why, more) => {
  const { decide } = await isolate();
  expect(decide(more)).toBeNull();
  expect(typeof decide()).toBe("string");
});

test.each([
  ["the host brings no judge", { judge: null, decisionPlan: { checks: CHECKS } }],
  ["the object says that it decides", { judge: judgeHere, decisionPlan: { checks: null } }],
])("the object decides where %s", async (_why, told) => {
  expect((await isolate(told)).decide()).toBeNull();
});

test("an answer that was long on its way brings back nothing from before a change", async () => {
  const { org, decide } = await isolate();
  expect(org.accepts("0", START - 500)).toBe(false);
  expect(typeof decide()).toBe("string");
  expect(org.accepts("2", START + 1)).toBe(true);
  expect(decide()).toBeNull();
});
