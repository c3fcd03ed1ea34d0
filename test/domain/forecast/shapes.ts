import { drawNormal, seededRandom } from "../../../src/domain/forecast/random.ts";
import type { DailySeries } from "../../../src/domain/forecast/series.ts";

export const HELD_OUT_DAYS = 30;

const FIRST_DAY = 20_000;
const WEEK = [1.3, 1.25, 0.45, 0.4, 1.1, 1.2, 1.3];

type Shape = (index: number, noise: () => number) => number | null;

/** Series of known shape, so that a forecast can be compared with the truth. */
const SHAPES: Record<string, { readonly trainingDays: number; readonly value: Shape }> = {
  flat: { trainingDays: 120, value: (_, noise) => 100 + 10 * noise() },
  linear: { trainingDays: 120, value: (i, noise) => 50 + 1.5 * i + 8 * noise() },
  weekly: { trainingDays: 120, value: (i, noise) => 100 * (WEEK[i % 7] ?? 1) + 6 * noise() },
  growing: { trainingDays: 120, value: (i, noise) => 20 * 1.015 ** i * (1 + 0.08 * noise()) },
  outliers: { trainingDays: 120, value: (i, noise) => (i % 23 === 7 ? 900 : 100 + 0.5 * i + 8 * noise()) },
  gaps: {
    trainingDays: 120,
    value: (i, noise) => (i % 11 === 4 || (i > 60 && i < 68) ? null : 80 * (WEEK[i % 7] ?? 1) + 6 * noise()),
  },
  short: { trainingDays: 21, value: (_, noise) => 100 + 10 * noise() },
};

export const SHAPE_NAMES = Object.keys(SHAPES);

export type Sample = { readonly past: DailySeries; readonly future: readonly (number | null)[] };

export function sample(name: string, seed: number): Sample {
  const shape = SHAPES[name];
  if (shape === undefined) throw new Error(`no shape ${name}`);
  const random = seededRandom(seed * 7919 + 1);
  const noise = () => drawNormal(random);
  const offset = seed % 7;
  const values = Array.from({ length: shape.trainingDays + HELD_OUT_DAYS }, (_, i) => {
    const value = shape.value(i + offset, noise);
    return value === null ? null : Math.max(0, value);
  });
  return {
    past: { firstDay: FIRST_DAY, values: values.slice(0, shape.trainingDays) },
    future: values.slice(shape.trainingDays),
  };
}
