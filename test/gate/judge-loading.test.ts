import { expect, test, vi } from "vitest";
import type { DecisionAsk } from "../../src/gate/decision/ask.ts";
import type { KnownChecks } from "../../src/gate/snapshot/decision-plan.ts";

const ASK = { estimate: { cost_usd: "1" }, model: "acme/m1" } as DecisionAsk;
const AT = { nanos: 1_000_000_000, orgNow: Date.UTC(2026, 0, 1) };

const rule = (when: string) => ({
  id: "pol_1",
  target: "model" as const,
  effect: "deny" as const,
  when,
  reason: "no",
  priority: 1,
  mode: "enforce" as const,
});

const checks = (when: string): KnownChecks => ({ rules: [rule(when)], detectors: [] });

test("until what compiles rules is loaded, an isolate leaves calls under rules to the object", async () => {
  vi.resetModules();
  const { judgeHere } = await import("../../src/edge/decision/judge.ts");
  const passing = checks('model == "acme/m2"');
  expect(judgeHere(passing, ASK, AT)).toBe(false);
  await expect.poll(() => judgeHere(passing, ASK, AT)).toBe(true);
  expect(judgeHere(checks('model == "acme/m1"'), ASK, AT)).toBe(false);
});
