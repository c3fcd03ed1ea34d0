import type { ErrorCode } from "../../contract/errors.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { RunWork } from "../../domain/work.ts";
import type { Tx } from "../kernel/door.ts";
import { checkPolicy } from "../policy-rules/check.ts";
import { checkSafety } from "../content-safety/check.ts";
import type { RunInput } from "../../contract/resources/runs.ts";

/** Codes of the checks that come before the meters. */
export const CHECK_CODES = [
  "policy_blocked",
  "policy_approval_required",
  "policy_expression_error",
  "content_safety_blocked",
] as const satisfies readonly ErrorCode[];
type CheckCode = (typeof CHECK_CODES)[number];

/**
 * A check that may refuse a run before any meter does, prepared once per call. It gives the refusal, or what to do
 * should the run be accepted, or null, within the work that the run may cost. Facts are not asked: they have happened.
 */
export type RunCheck = (
  tx: Tx,
) => (run: RunInput, nanos: bigint, work: RunWork) => Refusal<CheckCode> | (() => void) | null;

/** In order of refusal. */
export const RUN_CHECKS: readonly RunCheck[] = [checkPolicy, checkSafety];
