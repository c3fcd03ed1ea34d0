import type { CheckedRun } from "../run/checked-run.ts";
import { attemptOf } from "./attempt.ts";
import { judge, type PolicySet, judgeShadowRules, withAllowance } from "./policy.ts";
import { type DetectorSet, scan } from "../safety/safety.ts";
import type { RunStepBudget } from "./step-budget.ts";

export interface RunChecks {
  readonly policies: PolicySet;
  readonly detectors: DetectorSet;
}

/** The inputs of rules beside the run itself, and the work that they may cost. */
interface Judged {
  readonly nanos: bigint;
  readonly now: number;
  readonly stepBudget: RunStepBudget;
}

/**
 * Returns whether rules and detectors have nothing to say about a run: no refusal, no approval and no shadow, within
 * the work that is given. Everything else leaves a trace, and is for whoever keeps that.
 */
export function passesChecks({ policies, detectors }: RunChecks, run: CheckedRun, judged: Judged): boolean {
  return areSilent(policies, run, judged) && findNothing(detectors, run.input, judged.stepBudget);
}

function areSilent(policies: PolicySet, run: CheckedRun, { nanos, now, stepBudget }: Judged): boolean {
  if (policies.length === 0) return true;
  const attempt = attemptOf(run, nanos);
  const { verdict } = withAllowance(stepBudget.enforced, (allowance) =>
    judge(policies, attempt, now, { allowance }),
  );
  if (verdict !== "allow") return false;
  const { matched, failed } = withAllowance(stepBudget.watched, (allowance) =>
    judgeShadowRules(policies, attempt, now, allowance),
  );
  return matched.length === 0 && failed.length === 0;
}

function findNothing(detectors: DetectorSet, input: unknown, stepBudget: RunStepBudget): boolean {
  const { blocked, shadowed: matched, unread } = scan(detectors, input, stepBudget);
  return blocked === undefined && matched.length === 0 && unread.length === 0;
}
