/** Statistics that one extreme day cannot move. All take plain numbers: a forecast is an estimate, never money. */

export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return 0;
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

/** Typed arrays sort as numbers, several times faster than with a comparison function. */
function quantile(values: readonly number[], q: number): number {
  return quantileOfSorted(new Float64Array(values).sort(), q);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The standard deviation of a normal sample with this median absolute deviation. */
export function standardDeviation(residuals: readonly number[]): number {
  const centre = median(residuals);
  return 1.4826 * median(residuals.map((residual) => Math.abs(residual - centre)));
}

/**
 * Theil-Sen over distant pairs: the median of the slopes between points at least half the series apart. Near pairs say
 * little about a trend and are most of the work.
 */
export function medianSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes: number[] = [];
  const apart = Math.max(1, Math.floor(points.length / 2));
  for (let i = 0; i + apart < points.length; i += 1) {
    for (let j = i + apart; j < points.length; j += 1) {
      const [x1, y1] = points[i] ?? [0, 0];
      const [x2, y2] = points[j] ?? [0, 0];
      slopes.push((y2 - y1) / (x2 - x1));
    }
  }
  return median(slopes);
}

export function ascending(a: number, b: number): number {
  return a - b;
}
