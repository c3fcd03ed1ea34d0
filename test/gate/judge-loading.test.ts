import { registerHooks } from "node:module";
import { expect, test } from "vitest";
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

/** Other tests of this process may have loaded what compiles rules. */
async function loadedAnew() {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url.includes("/src/") ? { ...found, url: `${found.url}?anew` } : found;
    },
  });
  const module = await import("../../src/edge/decision/judge.ts");
  hooks.deregister();
  return module;
}

test("until what compiles rules is loaded, an isolate leaves calls under rules to the object", async () => {
  const { judgeHere } = await loadedAnew();
  const passing = checks('model == "acme/m2"');
  expect(judgeHere(passing, ASK, AT)).toBe(false);
  await expect.poll(() => judgeHere(passing, ASK, AT)).toBe(true);
  expect(judgeHere(checks('model == "acme/m1"'), ASK, AT)).toBe(false);
});
