import type { SegmentRow } from "./layout.ts";

/** The minimum and maximum, over the rows of a segment, of what lists sort by. */
export interface ZoneMap {
  readonly startedMin: number;
  readonly startedMax: number;
  readonly recordedMin: number;
  readonly recordedMax: number;
  readonly costMin: bigint;
  readonly costMax: bigint;
}

/** Returns the zone map of at least one row. */
export function zoneMapOf(rows: readonly SegmentRow[]): ZoneMap {
  const [first] = rows;
  if (first === undefined) throw new Error("a segment has at least one row");
  let { startedAt: startedMin, recordedAt: recordedMin, cost: costMin } = first;
  let [startedMax, recordedMax, costMax] = [startedMin, recordedMin, costMin];
  for (const { startedAt, recordedAt, cost } of rows) {
    if (startedAt < startedMin) startedMin = startedAt;
    if (startedAt > startedMax) startedMax = startedAt;
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
    if (cost < costMin) costMin = cost;
    if (cost > costMax) costMax = cost;
  }
  return { startedMin, startedMax, recordedMin, recordedMax, costMin, costMax };
}

/** Returns the zone map of the rows of several segments. */
export function joinZoneMaps([first, ...others]: readonly ZoneMap[]): ZoneMap {
  if (first === undefined) throw new Error("there is at least one segment");
  const joined = { ...first };
  for (const other of others) {
    joined.startedMin = Math.min(joined.startedMin, other.startedMin);
    joined.startedMax = Math.max(joined.startedMax, other.startedMax);
    joined.recordedMin = Math.min(joined.recordedMin, other.recordedMin);
    joined.recordedMax = Math.max(joined.recordedMax, other.recordedMax);
    if (other.costMin < joined.costMin) joined.costMin = other.costMin;
    if (other.costMax > joined.costMax) joined.costMax = other.costMax;
  }
  const { startedMin, startedMax, recordedMin, recordedMax, costMin, costMax } = joined;
  return { startedMin, startedMax, recordedMin, recordedMax, costMin, costMax };
}
