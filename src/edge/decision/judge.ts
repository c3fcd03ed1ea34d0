import { toCheckedRun } from "../../domain/run/checked-run.ts";
import { policySet } from "../../domain/policy/policy.ts";
import { loadRulesEngine, rulesEngine } from "../../domain/policy/engine-loading.ts";
import { detectorSet } from "../../domain/safety/safety.ts";
import { type RunChecks, passesChecks } from "../../domain/policy/passes-checks.ts";
import type { RunStepBudget } from "../../domain/policy/step-budget.ts";
import type { Judge } from "../../gate/snapshot/caller.ts";
import type { KnownChecks } from "../../gate/snapshot/decision-plan.ts";

/** Some 10 ms, which others in this isolate wait: what takes more is for the object, which has a bound of its own. */
const newStepBudget = (): RunStepBudget => ({ enforced: { left: 1_000_000 }, watched: { left: 300_000 } });

/** Compiled when an org first needs them, and as long as its gate goes by them. */
const compiled = new WeakMap<KnownChecks, RunChecks>();

/** Returns whether the org's rules and detectors let a call pass, by the same functions as its object. */
export const judgeHere: Judge = (checks, ask, { nanos, orgNow }) => {
  // Only the object can say which rules need a model.
  if (ask.model === undefined && checks.rules.length > 0) return false;
  const known = compiledFor(checks);
  if (known === null) return false;
  const run = toCheckedRun(ask, orgNow);
  return passesChecks(known, run, { nanos: BigInt(nanos), now: orgNow, stepBudget: newStepBudget() });
};

/** Null while what compiles them is being loaded: until then the object judges. */
function compiledFor(checks: KnownChecks): RunChecks | null {
  const made = compiled.get(checks);
  if (made !== undefined) return made;
  const { rules, detectors } = checks;
  const engine = rulesEngine();
  if (engine === null && (rules.length > 0 || detectors.some(({ kind }) => kind === "pattern"))) {
    loadRulesEngine().catch(() => undefined);
    return null;
  }
  const set = {
    policies: engine === null ? [] : policySet(rules, engine.compile),
    detectors: detectorSet(detectors, () => (engine ?? absent()).compileLinear),
  };
  compiled.set(checks, set);
  return set;
}

function absent(): never {
  throw new Error("what compiles patterns is not loaded");
}
