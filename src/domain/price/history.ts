/** One revision of a price. */
export interface DatedTerms {
  readonly effectiveAt: number;
  /** From then on there is no price. */
  readonly isRemoved: boolean;
}

/** The revisions of one source, in the order in which they take effect. */
export type History<R extends DatedTerms> = readonly R[];

/** Histories of which at most one gives the price: where several are in force alike, none is meant for sure. */
export interface Source<R extends DatedTerms> {
  readonly histories: readonly History<R>[];
  /** True if a revision is meant by the name that is asked for. If omitted: always. */
  readonly isMeant?: (revision: R) => boolean;
}

/** The revision in force at a time. Null if there is none, or the price was removed. */
export function findRevisionAt<R extends DatedTerms>(history: History<R>, atMs: number): R | null {
  const latest = history.findLast(({ effectiveAt }) => effectiveAt <= atMs);
  return latest === undefined || latest.isRemoved ? null : latest;
}

/**
 * The price of what happened at a time, from the first source that has one. If it happened before any price was known,
 * the current price applies. A future price never applies.
 */
export function priceAt<R extends DatedTerms>(
  sources: readonly Source<R>[],
  atMs: number,
  nowMs: number,
): R | null {
  return firstInForce(sources, Math.min(atMs, nowMs)) ?? firstInForce(sources, nowMs);
}

function firstInForce<R extends DatedTerms>(sources: readonly Source<R>[], atMs: number): R | null {
  for (const { histories, isMeant = () => true } of sources) {
    let found: R | null = null;
    let count = 0;
    for (const history of histories) {
      const one = findRevisionAt(history, atMs);
      if (one === null || !isMeant(one)) continue;
      found = one;
      count += 1;
    }
    if (count === 1) return found;
  }
  return null;
}

/** When the next revision of any source takes effect. Null if none is scheduled. */
export function nextChange(
  sources: readonly Pick<Source<DatedTerms>, "histories">[],
  nowMs: number,
): number | null {
  const all = sources.flatMap(({ histories }) => histories).flat();
  const later = all.filter(({ effectiveAt }) => effectiveAt > nowMs);
  return later.length === 0 ? null : Math.min(...later.map(({ effectiveAt }) => effectiveAt));
}
