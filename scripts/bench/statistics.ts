/** What rounds of measurements say together. */

export interface Figure {
  readonly median: number;
  /** Half the distance between the quartiles, as a share of the median, or of the least that matters: 0.03 is "±3 %". */
  readonly spread: number;
}

/** Beyond this share, rounds differ too much for a figure to be compared with another. */
const STABLE_SPREAD = 0.05;

export function median(values: readonly number[]): number {
  return quantile(sorted(values), 0.5);
}

/** Around a median of nothing, any spread would be large: `least` is what it is then a share of. */
export function figureOf(values: readonly number[], least = 0): Figure {
  const all = sorted(values);
  const middle = quantile(all, 0.5);
  const whole = Math.max(Math.abs(middle), least);
  const spread = whole === 0 ? 0 : (quantile(all, 0.75) - quantile(all, 0.25)) / 2 / whole;
  return { median: middle, spread };
}

/** Null is the spread of a figure that was measured once, and says nothing about stability. */
export function isStable(spread: number | null): boolean {
  return spread === null || spread <= STABLE_SPREAD;
}

/**
 * How two subjects compare, round by round: both were measured within seconds of each other, so a machine that was slow in
 * a round was slow for both. A round in which one of them failed says nothing. Null if there is no other.
 */
export function pairedRatio(
  over: readonly (number | null)[],
  under: readonly (number | null)[],
): Figure | null {
  const ratios = over.flatMap((value, round) => {
    const other = under[round] ?? null;
    return value === null || other === null || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? null : figureOf(ratios);
}

/** The value that a share of all is at most, between two neighbours where it falls between them. */
export function quantile(ascending: readonly number[], share: number): number {
  const at = (ascending.length - 1) * share;
  const low = ascending[Math.floor(at)] ?? 0;
  const high = ascending[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

export function sorted(values: readonly number[]): number[] {
  return values.toSorted((left, right) => left - right);
}
