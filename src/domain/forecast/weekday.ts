import { median, standardDeviation } from "./robust.ts";
import { weekdayOf, type DayNumber } from "./series.ts";

export type Point = readonly [day: DayNumber, value: number];

/** The amount that each weekday adds to the level, indexed by `weekdayOf`. */
export type WeekdayPattern = readonly number[];

const NO_PATTERN: WeekdayPattern = [0, 0, 0, 0, 0, 0, 0];

/** At least two of each weekday are needed to tell a pattern from chance. */
const LEAST_DAYS = 14;

/**
 * The median distance of each weekday from the median of the seven days around it, reduced by what noise alone would
 * show. A series without a weekly rhythm gets a pattern of about zero.
 */
export function weekdayPattern(points: readonly Point[]): WeekdayPattern {
  if (points.length < LEAST_DAYS) return NO_PATTERN;
  const distances: number[][] = Array.from({ length: 7 }, () => []);
  for (const [index, [day, value]] of points.entries()) {
    const from = Math.max(0, Math.min(index - 3, points.length - 7));
    const around = points.slice(from, from + 7).map(([, near]) => near);
    distances[weekdayOf(day)]?.push(value - median(around));
  }
  const effects = distances.map(median);
  const mean = effects.reduce((sum, effect) => sum + effect, 0) / 7;
  const noise = standardDeviation(
    distances.flatMap((of, weekday) => of.map((d) => d - (effects[weekday] ?? 0))),
  );
  const signal = effects.reduce((sum, effect) => sum + (effect - mean) ** 2, 0) / 7;
  const weeks = points.length / 7;
  const noiseInMedian = (1.57 * noise ** 2) / Math.max(0.5, weeks - 2);
  const kept = signal === 0 ? 0 : Math.max(0, 1 - noiseInMedian / signal);
  return effects.map((effect) => (effect - mean) * kept);
}
