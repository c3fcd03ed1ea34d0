import type { ErrorCode } from "../../contract/errors.ts";
import type { Refusal } from "../../contract/refusal.ts";

/**
 * The finding of a check in a call: its refusal and what must remain of it, or no refusal and what to do if the call
 * goes ahead. The check itself does neither, so that a call can be tried without a trace.
 */
export interface Finding<Code extends ErrorCode = ErrorCode> {
  readonly refusal: Refusal<Code> | null;
  readonly effect: () => void;
  /** Sends the events of a refusal. They are sent once, even if the refusal rolls back the call. */
  readonly tell?: () => void;
}
