import { type OrgCallRow, type OrgMinuteRow, SHARD_NAMES } from "../../contract/metrics.ts";
import { hoursOf, mergeOrgCalls } from "../../domain/metric/org-calls.ts";
import type { OrgHour } from "../../contract/resources/admin-overview.ts";
import type { GaugeReading, SeriesTotal } from "../../platform/counter-shard.ts";

interface ReadableShard {
  read(): Promise<SeriesTotal[]>;
  readGauges(): Promise<GaugeReading[]>;
  busiest(most: number): Promise<string>;
  lastHour(orgIds: readonly string[], nowMs: number): Promise<string>;
}

export interface ReadableCounters<Part extends keyof ReadableShard = "read"> {
  getByName(name: string): Pick<ReadableShard, Part>;
}

/** Totals of all shards. If one cannot be read, the whole fails, because a sum without it would look like a reset. */
export async function readTotals(shards: ReadableCounters): Promise<SeriesTotal[]> {
  const parts = await Promise.all(SHARD_NAMES.map((name) => shards.getByName(name).read()));
  return parts.flat();
}

/** Returns what the orgs' objects told the shards last. */
export async function readGauges(shards: ReadableCounters<"readGauges">): Promise<GaugeReading[]> {
  const parts = await Promise.all(SHARD_NAMES.map((name) => shards.getByName(name).readGauges()));
  return parts.flat();
}

/** The busiest orgs of the last minute. */
export async function readBusiest(shards: ReadableCounters<"busiest">, most: number): Promise<OrgCallRow[]> {
  const parts = await Promise.all(SHARD_NAMES.map((name) => shards.getByName(name).busiest(most)));
  const lists = parts.map((text) => JSON.parse(text) as OrgCallRow[]);
  return mergeOrgCalls(most, lists);
}

/** The last hour of some orgs, by minute. One that is not there had no calls. */
export async function readLastHour(
  shards: ReadableCounters<"lastHour">,
  orgIds: readonly string[],
  nowMs: number,
): Promise<Map<string, OrgHour>> {
  const parts = await Promise.all(SHARD_NAMES.map((name) => shards.getByName(name).lastHour(orgIds, nowMs)));
  return hoursOf(parts.flatMap((text) => JSON.parse(text) as OrgMinuteRow[]));
}
