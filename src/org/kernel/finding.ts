import type { ErrorCode } from "../../contract/errors.ts";
import type { Refusal } from "../../contract/refusal.ts";

/**
 * What a check found in a call: its refusal, and what stays of that; or no refusal, and what to do should the call go ahead.
 * A check does neither by itself, so that a call can be tried without a trace.
 */
export interface Finding<Code extends ErrorCode = ErrorCode> {
  readonly refusal: Refusal<Code> | null;
  readonly effect: () => void;
  /** Sends the events of a refusal. They are sent once, also where it undoes the call. */
  readonly tell?: () => void;
}
