import {
  COUNTERS,
  type CounterName,
  type GaugeName,
  GAUGES,
  initialSeries,
  readSeries,
  WAIT_HISTOGRAM,
  waitSeries,
} from "../../contract/metrics.ts";
import type { Distribution, HistogramFamily, MetricFamily, SampledFamily } from "./exposition.ts";

/** Totals per series, as the shards hold them. Several shards can hold the same series. */
export type Totals = readonly { readonly series: string; readonly total: number }[];

export function metricFamilies(totals: Totals, deprecatedRoutes: readonly string[]): MetricFamily[] {
  const sums = new Map<string, number>(initialSeries(deprecatedRoutes).map((series) => [series, 0]));
  for (const { series, total } of totals) sums.set(series, (sums.get(series) ?? 0) + total);
  const names = Object.keys(COUNTERS) as CounterName[];
  return [...names.map((name) => counterFamily(name, sums)), waitFamily(sums)];
}

function counterFamily(name: CounterName, sums: ReadonlyMap<string, number>): SampledFamily {
  const { help, labels } = COUNTERS[name];
  const samples = [...sums]
    .map(([series, value]) => ({ ...readSeries(series), value }))
    .filter((sample) => sample.name === name && sample.values.length === labels.length)
    .map(({ values, value }) => ({
      labels: Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""])),
      value,
    }));
  return { type: "counter", name, help, samples };
}

function waitFamily(sums: ReadonlyMap<string, number>): HistogramFamily {
  const { name, help, label, places, bounds } = WAIT_HISTOGRAM;
  const distributions = places.map((place): Distribution => ({
    labels: { [label]: place },
    counts: [...bounds, Infinity].map((_, index) => sums.get(waitSeries(place, index)) ?? 0),
    sum: (sums.get(waitSeries(place, "ms")) ?? 0) / 1000,
  }));
  return { type: "histogram", name, help, bounds, distributions };
}

/** The part of a gauge that one shard knows: the sum of its objects' values, and the least of them. */
export interface GaugePart {
  readonly name: string;
  readonly sum: number;
  readonly least: number;
}

export function gaugeFamilies(parts: readonly GaugePart[], nowMs: number): SampledFamily[] {
  return (Object.keys(GAUGES) as GaugeName[]).map((name) => {
    const { help, shown } = GAUGES[name];
    const own = parts.filter((part) => part.name === name);
    const value =
      shown === "sum"
        ? own.reduce((total, { sum }) => total + sum, 0)
        : Math.max(0, ...own.map(({ least }) => nowMs - least)) / 1000;
    return { type: "gauge", name, help, samples: [{ labels: {}, value }] };
  });
}
