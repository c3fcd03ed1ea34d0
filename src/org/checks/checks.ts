import type { CHECK_CODES } from "../../contract/limit-codes.ts";
import type { CheckedRun } from "../../domain/run/checked-run.ts";
import type { RunStepBudget } from "../../domain/policy/step-budget.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { checkPolicy } from "../policy-rules/check.ts";
import { checkSafety } from "../content-safety/check.ts";

type CheckCode = (typeof CHECK_CODES)[number];

/**
 * A check that can refuse a run before any meter does, prepared once per call. It returns what it found, or null,
 * within the work allowance of the run. Facts are not checked, because they have happened. Null if the org checks
 * nothing.
 */
type RunCheck = (
  tx: Tx,
) => ((run: CheckedRun, nanos: bigint, stepBudget: RunStepBudget) => Finding<CheckCode> | null) | null;

/** In order of refusal. */
const RUN_CHECKS: readonly RunCheck[] = [checkPolicy, checkSafety];

/**
 * Every check, prepared for the runs of one call. Returns the finding of the first that refuses, otherwise all
 * findings. Null if the org has none.
 */
export function runChecks(
  tx: Tx,
): ((run: CheckedRun, nanos: bigint, stepBudget: RunStepBudget) => readonly Finding<CheckCode>[]) | null {
  const checks = RUN_CHECKS.map((check) => check(tx)).filter((check) => check !== null);
  if (checks.length === 0) return null;
  return (run, nanos, stepBudget) => {
    const findings: Finding<CheckCode>[] = [];
    for (const check of checks) {
      const found = check(run, nanos, stepBudget);
      if (found === null) continue;
      if (found.refusal !== null) return [found];
      findings.push(found);
    }
    return findings;
  };
}
