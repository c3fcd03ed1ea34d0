import type { DecisionReply } from "./object-verdict.ts";

/** The object did not begin: it would have to wait. Asked alone, it waits. */
export const ASK_ALONE = null;
/** It failed, and the log says why. Nothing was decided. */
export const FAILED = false;

/** The text of an allow that says nothing else, or everything that there is to say. */
export type Answer = string | DecisionReply | typeof ASK_ALONE | typeof FAILED;

/** One answer for each ask, in their order. */
export interface DecidedTogether {
  readonly orgNow: number;
  readonly version: string;
  readonly answers: readonly Answer[];
}
