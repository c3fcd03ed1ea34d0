/** An amount that a rate limit has counted at one time. */
export interface CountedPart {
  readonly atMs: number;
  readonly amount: number;
}

interface Split {
  /** The amounts to give back, where they were counted. */
  readonly back: readonly CountedPart[];
  readonly left: readonly CountedPart[];
}

/**
 * Takes an amount out of parts, the earliest first. Nobody knows when within its time a call spends what, so what it
 * spends counts as late as possible.
 */
export function withoutAmount(parts: readonly CountedPart[], amount: number): Split {
  let rest = amount;
  const back: CountedPart[] = [];
  const left: CountedPart[] = [];
  for (const part of parts) {
    const taken = Math.min(rest, part.amount);
    rest -= taken;
    if (taken > 0) back.push({ ...part, amount: taken });
    if (taken < part.amount) left.push({ ...part, amount: part.amount - taken });
  }
  return { back, left };
}
