/** One revision of a price. */
export interface Dated {
  readonly effectiveAt: number;
  /** From then on there is no price. */
  readonly isRemoved: boolean;
}

/** The revisions of one source, in the order in which they take effect. */
export type History<R extends Dated> = readonly R[];

/** The revision in force at a time. Null if there is none, or the price was removed. */
export function inForce<R extends Dated>(history: History<R>, atMs: number): R | null {
  const latest = history.findLast(({ effectiveAt }) => effectiveAt <= atMs);
  return latest === undefined || latest.isRemoved ? null : latest;
}

/**
 * The price of what happened at a time, from the first source that has one. If it happened before any price was known,
 * the current price applies. A future price never applies.
 */
export function priceAt<R extends Dated>(
  histories: readonly History<R>[],
  atMs: number,
  nowMs: number,
): R | null {
  return firstInForce(histories, Math.min(atMs, nowMs)) ?? firstInForce(histories, nowMs);
}

function firstInForce<R extends Dated>(histories: readonly History<R>[], atMs: number): R | null {
  for (const history of histories) {
    const found = inForce(history, atMs);
    if (found !== null) return found;
  }
  return null;
}

/** When the next revision of any source takes effect. Null if none is scheduled. */
export function nextChange(histories: readonly History<Dated>[], nowMs: number): number | null {
  const later = histories.flat().filter(({ effectiveAt }) => effectiveAt > nowMs);
  return later.length === 0 ? null : Math.min(...later.map(({ effectiveAt }) => effectiveAt));
}
