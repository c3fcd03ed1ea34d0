import type { Model } from "./choose.ts";
import { predictValue, outOfScale } from "./fit.ts";
import { drawNormal, seededRandom } from "./random.ts";
import { quantileOfSorted } from "./robust.ts";

/** One simulated future: a value for each day, starting with the day after the last known one. */
export type Path = Float64Array;

export type Band = { readonly p10: number; readonly p50: number; readonly p90: number };

const PATHS = 400;
const SEED = 20_260_722;

export type PathChange = { readonly slope?: number; readonly factor?: (ahead: number) => number };

/**
 * The random draws of every forecast. They are drawn once, so that a forecast is repeatable and scenarios differ only
 * in their assumptions.
 */
class Chances {
  readonly #drift: Float64Array;
  readonly #pick: Float64Array;
  readonly #days: number;

  constructor(days: number) {
    const random = seededRandom(SEED);
    this.#days = days;
    this.#drift = new Float64Array(PATHS * days);
    this.#pick = new Float64Array(PATHS * days);
    for (let at = 0; at < PATHS * days; at += 1) {
      this.#drift[at] = drawNormal(random);
      this.#pick[at] = random();
    }
  }

  drift(path: number, day: number): number {
    return this.#drift[path * this.#days + day] ?? 0;
  }

  pick(path: number, day: number): number {
    return this.#pick[path * this.#days + day] ?? 0;
  }
}

const MOST_DAYS = 181;
let chances: Chances | null = null;

/**
 * Simulates futures instead of using a formula for the range, because a budget is used up by a sum of days, and the
 * quantiles of a sum are not the sum of the quantiles. Each path lets its level drift and adds the noise of a random
 * known day.
 */
export function simulate(model: Model, horizonDays: number, change: PathChange = {}): Path[] {
  const { fit } = model;
  const drawn = (chances ??= new Chances(MOST_DAYS));
  const step = Math.sqrt(model.driftPerDay);
  const days = Math.min(horizonDays, MOST_DAYS);
  const centre = Float64Array.from({ length: days }, (_, day) => predictValue(fit, day + 1, change.slope));
  const factor = Float64Array.from({ length: days }, (_, day) => change.factor?.(day + 1) ?? 1);
  const paths: Path[] = [];
  for (let path = 0; path < PATHS; path += 1) {
    const values = new Float64Array(days);
    let drift = 0;
    for (let day = 0; day < days; day += 1) {
      drift += step * drawn.drift(path, day);
      const noise = fit.residuals[Math.floor(drawn.pick(path, day) * fit.residuals.length)] ?? 0;
      const value = outOfScale((centre[day] ?? 0) + drift + noise, fit.shape.scale);
      values[day] = value * (factor[day] ?? 1);
    }
    paths.push(values);
  }
  return paths;
}

export function bandsOf(paths: readonly Path[], horizonDays: number): Band[] {
  const sorted = new Float64Array(paths.length);
  return Array.from({ length: horizonDays }, (_, index) => {
    for (let at = 0; at < paths.length; at += 1) sorted[at] = paths[at]?.[index] ?? 0;
    sorted.sort();
    return {
      p10: quantileOfSorted(sorted, 0.1),
      p50: quantileOfSorted(sorted, 0.5),
      p90: quantileOfSorted(sorted, 0.9),
    };
  });
}
