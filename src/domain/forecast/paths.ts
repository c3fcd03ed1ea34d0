import type { Model } from "./choose.ts";
import { expected, outOfScale } from "./fit.ts";
import { normal, repeatableRandom } from "./random.ts";
import { ascending, quantileOfSorted } from "./robust.ts";

/** One possible future: a value for each day ahead, the first being the day after the last known one. */
export type Path = Float64Array;

export type Band = { readonly p10: number; readonly p50: number; readonly p90: number };

const PATHS = 400;
const SEED = 20_260_722;

export type PathChange = { readonly slope?: number; readonly factor?: (ahead: number) => number };

/**
 * Possible futures rather than a formula for the band: a budget is used up by a sum of days, and the quantiles of a sum
 * are not the sum of quantiles. Each path lets its level drift and adds the noise of a random known day.
 */
export function simulate(model: Model, horizonDays: number, change: PathChange = {}): Path[] {
  const { fit, driftPerDay } = model;
  const random = repeatableRandom(SEED);
  const step = Math.sqrt(driftPerDay);
  return Array.from({ length: PATHS }, () => {
    let drift = 0;
    return Float64Array.from({ length: horizonDays }, (_, index) => {
      const ahead = index + 1;
      drift += step * normal(random);
      const noise = fit.residuals[Math.floor(random() * fit.residuals.length)] ?? 0;
      const value = expected(fit, ahead, change.slope ?? fit.slope) + drift + noise;
      return outOfScale(value, fit.shape.scale) * (change.factor?.(ahead) ?? 1);
    });
  });
}

export function bandsOf(paths: readonly Path[], horizonDays: number): Band[] {
  return Array.from({ length: horizonDays }, (_, index) => {
    const sorted = paths.map((path) => path[index] ?? 0).sort(ascending);
    return {
      p10: quantileOfSorted(sorted, 0.1),
      p50: quantileOfSorted(sorted, 0.5),
      p90: quantileOfSorted(sorted, 0.9),
    };
  });
}
