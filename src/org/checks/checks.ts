import type { CHECK_CODES } from "../../contract/limit-codes.ts";
import type { JudgedRun } from "../../domain/policy-attempt.ts";
import type { RunWork } from "../../domain/work.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { checkPolicy } from "../policy-rules/check.ts";
import { checkSafety } from "../content-safety/check.ts";

type CheckCode = (typeof CHECK_CODES)[number];

/** A run, or one that is asked for, as the checks read it. */
export type CheckedRun = JudgedRun & {
  readonly approval_id?: string | undefined;
  readonly input?: unknown;
};

/**
 * A check that may refuse a run before any meter does, prepared once per call. It gives what it found, or null for nothing,
 * within the work that the run may cost. Facts are not asked: they have happened.
 */
type RunCheck = (tx: Tx) => (run: CheckedRun, nanos: bigint, work: RunWork) => Finding<CheckCode> | null;

/** In order of refusal. */
const RUN_CHECKS: readonly RunCheck[] = [checkPolicy, checkSafety];

/** Every check, ready for the runs of one call: the finding of the first that refuses, else those of all. */
export function runChecks(
  tx: Tx,
): (run: CheckedRun, nanos: bigint, work: RunWork) => readonly Finding<CheckCode>[] {
  const checks = RUN_CHECKS.map((check) => check(tx));
  return (run, nanos, work) => {
    const findings: Finding<CheckCode>[] = [];
    for (const check of checks) {
      const found = check(run, nanos, work);
      if (found === null) continue;
      if (found.refusal !== null) return [found];
      findings.push(found);
    }
    return findings;
  };
}
