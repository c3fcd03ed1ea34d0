import { counters } from "../counters.ts";
import { type ReadableCounters, readGauges, readTotals } from "../edge/object/counters.ts";
import type { CounterNamespace } from "../contract/metrics.ts";
import type { GaugeReading, SeriesTotal } from "../platform/counter-shard.ts";

/**
 * How often an isolate asks the counter shards. `/metrics` may be open to anyone, and each shard is an object. Constant in
 * every deployment. Only the Worker's tests, which share its isolate, shorten it.
 */
export const SCRAPING = { everyMs: 1000 } as const;

type Shards = CounterNamespace & ReadableCounters & ReadableCounters<"readGauges">;

interface ScrapeResult {
  readonly totals: readonly SeriesTotal[];
  readonly gauges: GaugeReading[];
}

let last: { readonly atMs: number; readonly reading: Promise<ScrapeResult> } | null = null;

/**
 * Returns what the shards have, at most a second old, and what this isolate has counted since. Scrapes at the same time
 * share one reading. A reading that fails is not kept.
 */
export async function scrape(shards: Shards, nowMs: number): Promise<ScrapeResult> {
  if (last === null || nowMs >= last.atMs + SCRAPING.everyMs || nowMs < last.atMs) {
    last = { atMs: nowMs, reading: read(shards, nowMs) };
  }
  const own = last;
  try {
    const { totals, gauges } = await own.reading;
    const since = counters.sinceRead().map(([series, total]) => ({ series, total }));
    return { totals: [...totals, ...since], gauges };
  } catch (error) {
    if (last === own) last = null;
    throw error;
  }
}

async function read(shards: Shards, nowMs: number): Promise<ScrapeResult> {
  await counters.flushAll(shards, nowMs);
  const [totals, gauges] = await Promise.all([readTotals(shards), readGauges(shards)]);
  counters.noteRead();
  return { totals, gauges };
}
