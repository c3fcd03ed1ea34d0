import type { COHORT_METRICS } from "../../contract/lists.ts";

export type CohortMetric = (typeof COHORT_METRICS)[number];

/** One org's figures for a month. `days` is how many days of the month had passed. */
export type MonthlyFigures = {
  readonly runs: number;
  readonly tokens: number;
  readonly costNano: bigint;
  readonly days: number;
};

/** The metric's value, in nano-dollars if it is money. Null if the org had no runs to divide by. */
export function metricOf(metric: CohortMetric, figures: MonthlyFigures): number | null {
  if (metric === "runs_per_day") return figures.runs / figures.days;
  if (figures.runs === 0) return null;
  return (metric === "tokens_per_run" ? figures.tokens : Number(figures.costNano)) / figures.runs;
}

export type Percentiles = { readonly p25: number; readonly p50: number; readonly p75: number };

const SIGNIFICANT_DIGITS = 3;

/**
 * Interpolated between neighbours, and rounded: a percentile that falls on one org must not show its exact value.
 */
export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  return { p25: at(sorted, 0.25), p50: at(sorted, 0.5), p75: at(sorted, 0.75) };
}

function at(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return Number(
    (below + (above - below) * (position - Math.floor(position))).toPrecision(SIGNIFICANT_DIGITS),
  );
}
