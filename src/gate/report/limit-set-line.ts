import type { CallLine } from "./call-line.ts";
import type { HoldLine } from "./hold-line.ts";

/** The dollar limits that a hold was made in. Many holds share them, so they are sent once for all of them. */
export interface LimitSetLine {
  readonly keys: readonly string[];
  /** The ids of their meters, separated by spaces, as in the hold's row. */
  readonly meters: string;
  /** Null if it makes no difference to them. */
  readonly customer: string | null;
  /** The key that it was made with. */
  readonly keyId: string;
  /** Lease keys of the rate limits that counted it from its body. */
  readonly rates: readonly string[];
  /** It was checked against everything. */
  readonly isWhole?: true;
  /** The limit set as the object signed it, in a gate outside the service. */
  readonly mark?: string;
}

/** How many tokens rate limits counted of each hold, in the order of the holds. */
type ReportedTokens = readonly [named: readonly number[], unnamed: readonly number[]];

/**
 * The holds of one limit set. Only a request with its caller's id can have been decided elsewhere too: those are `named`
 * after it. All others have a unique name.
 */
export type ReportedHolds = readonly [
  limitSet: number,
  named: readonly HoldLine[],
  unnamed: readonly HoldLine[],
  /** Where the lines do not have them. */
  tokens?: ReportedTokens | null,
  /** The names in the runs of the holds. The lines have the tokens. Missing: they are not known, and the holds are given back. */
  call?: CallLine,
];
