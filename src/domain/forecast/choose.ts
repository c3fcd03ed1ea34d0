import { ascending, median, standardDeviation } from "./robust.ts";
import {
  predictValue,
  fitShape,
  intoScale,
  levelSeries,
  outOfScale,
  type Fit,
  type LevelledSeries,
  type Shape,
} from "./fit.ts";
import type { DailySeries } from "./series.ts";

export type Model = {
  readonly fit: Fit;
  /** The variance that the level gains with each day ahead, measured by forecasting the past. */
  readonly driftPerDay: number;
};

/**
 * A shape must beat the simpler ones above it by its handicap, and by more if the history is short. A small advantage,
 * or one over a few days, is luck.
 */
const SHAPES: readonly (Shape & { readonly handicap: number })[] = [
  { scale: "linear", trend: "none", windowDays: 28, handicap: 0 },
  { scale: "log", trend: "none", windowDays: 28, handicap: 0.02 },
  { scale: "linear", trend: "line", windowDays: 120, handicap: 0.1 },
  { scale: "linear", trend: "line", windowDays: 42, handicap: 0.15 },
  { scale: "log", trend: "line", windowDays: 120, handicap: 0.15 },
  { scale: "log", trend: "line", windowDays: 42, handicap: 0.2 },
];

const MOST_FOLDS = 4;
const LEAST_TRAINING_DAYS = 10;
/** Older days no longer describe the org. */
const MEMORY_DAYS = 180;

/** Fits each shape to shortened histories and keeps the one that best predicted what followed. */
export function chooseModel(all: DailySeries, horizonDays: number): Model {
  const series = lastDays(all, MEMORY_DAYS);
  const folds = foldsOf(series, horizonDays);
  const whole = inScales(series);
  const scarcity = Math.max(1, 120 / series.values.length);
  const tried = SHAPES.flatMap((shape) => {
    const suited = whole[shape.scale];
    if (suited === null) return [];
    const fit = fitShape(suited, shape);
    const outcomes = folds.flatMap((fold) => outcomeOf(fold, shape));
    const error = outcomes.length === 0 ? Infinity : mean(outcomes.map((outcome) => outcome.error));
    return [{ fit, outcomes, score: error * (1 + shape.handicap * scarcity) }];
  });
  const best = tried.reduce((a, b) => (b.score < a.score ? b : a));
  const noise = standardDeviation(best.fit.residuals) ** 2;
  const measured = mean(best.outcomes.map(({ bias, horizon }) => bias ** 2 / ((horizon + 1) / 2)));
  return { fit: best.fit, driftPerDay: Math.max(measured, noise / (10 * series.values.length)) };
}

type Scales = Readonly<Record<Shape["scale"], LevelledSeries | null>>;

function inScales(series: DailySeries): Scales {
  return { linear: levelSeries(series, "linear"), log: levelSeries(series, "log") };
}

type Fold = { readonly past: Scales; readonly future: readonly (number | null)[] };

function foldsOf(series: DailySeries, horizonDays: number): Fold[] {
  const length = series.values.length;
  const horizon = Math.max(1, Math.min(horizonDays, 30, Math.floor(length / 3.5)));
  const step = Math.max(1, Math.ceil(horizon / 2));
  return Array.from({ length: MOST_FOLDS }, (_, index) => length - horizon - index * step)
    .filter((cut) => cut >= LEAST_TRAINING_DAYS)
    .map((cut) => ({
      past: inScales({ firstDay: series.firstDay, values: series.values.slice(0, cut) }),
      future: series.values.slice(cut, cut + horizon),
    }));
}

/** The trimmed mean error in the series' own unit, and the median error in the fit's scale. */
function outcomeOf(fold: Fold, shape: Shape): { error: number; bias: number; horizon: number }[] {
  const suited = fold.past[shape.scale];
  if (suited === null) return [];
  const fit = fitShape(suited, shape);
  const errors: number[] = [];
  const scaled: number[] = [];
  for (const [index, actual] of fold.future.entries()) {
    if (actual === null) continue;
    const predicted = predictValue(fit, index + 1);
    errors.push(Math.abs(actual - outOfScale(predicted, shape.scale)));
    if (shape.scale === "linear" || actual > 0) scaled.push(intoScale(actual, shape.scale) - predicted);
  }
  if (errors.length === 0) return [];
  const usual = errors.sort(ascending).slice(0, Math.ceil(errors.length * 0.9));
  return [{ error: mean(usual), bias: median(scaled), horizon: fold.future.length }];
}

function lastDays(series: DailySeries, days: number): DailySeries {
  const dropped = Math.max(0, series.values.length - days);
  return { firstDay: series.firstDay + dropped, values: series.values.slice(dropped) };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
