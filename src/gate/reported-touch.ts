import type { ReportedHold } from "./reported-hold.ts";

/** Which dollar limits a hold was made against: the same for many, so it is sent once for all of them. */
export interface ReportedTouch {
  readonly keys: readonly string[];
  /** Their meters' ids, between spaces, as the hold's row has them. */
  readonly meters: string;
  /** Null where it makes no difference to them. */
  readonly customer: string | null;
  /** Lease keys of the rate limits that counted it by its body. Isolates of an earlier version do not send them. */
  readonly rates?: readonly string[];
}

/** How many tokens rate limits counted of each hold, in the order of the holds. */
export type ReportedTokens = readonly [named: readonly number[], unnamed: readonly number[]];

/**
 * The holds of one touch. Only a request with an id of its caller's can have been decided elsewhere as well: those are
 * `named` after it, and all others have a name of their own.
 */
export type ReportedHolds = readonly [
  touch: number,
  named: readonly ReportedHold[],
  unnamed: readonly ReportedHold[],
  /**
   * Only where the touch has rate limits. Beside the lines, not in them: objects of an earlier version take a line's end for
   * the amount.
   */
  tokens?: ReportedTokens,
];
