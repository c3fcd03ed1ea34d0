/** More than any model reads or writes, and small enough for exact sums. */
export const MAX_TOKENS = 1_000_000_000_000;

/** Runs in one call. */
export const MAX_BATCH = 1000;
