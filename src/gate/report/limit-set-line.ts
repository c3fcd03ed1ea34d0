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
  /** One of its limits counts tokens. */
  readonly countsTokens?: true;
  /** The limit set as the object signed it, in a gate outside the service. */
  readonly mark?: string;
}

/** How many tokens rate limits counted of each hold, in the order of the holds. */
export type ReportedTokens = readonly [named: readonly number[], unnamed: readonly number[]];

/**
 * The holds of one limit set. Only a request with its caller's id can have been decided elsewhere too: those are `named`
 * after it. All others have a unique name.
 */
export type ReportedHolds = readonly [
  limitSet: number,
  named: readonly HoldLine[],
  unnamed: readonly HoldLine[],
  /** Only if the limit set has rate limits, counts tokens or is whole. */
  tokens?: ReportedTokens | null,
  /** The names in the runs that the holds become when they expire. The lines have the tokens. Missing: they are given back. */
  call?: CallLine,
];
