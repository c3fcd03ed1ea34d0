import type { RunRanges } from "../../../domain/run-segment/ranges.ts";
import type { Tombstone } from "../../../domain/run-segment/tombstones.ts";
import type { RunRecord } from "../../../domain/run-segment/record.ts";

/**
 * What is known of stored runs without reading them: their position, and the minimum and maximum of what lists sort by.
 */
export interface SegmentMetadata extends RunRanges {
  /** `archived`: in a file. `remains`: tombstones, because retention has deleted the runs. */
  readonly state: "runs" | "archived" | "remains";
  /** Names its row in `run_blocks`, unless it is archived. */
  readonly firstSeq: number;
  readonly runs: number;
  readonly bytes: number;
  /** Where an archived segment is. */
  readonly place?: ArchivedPlace;
}

/** A file in the archive: segments that follow one another. */
export interface ArchiveFile {
  readonly firstSeq: number;
  readonly runs: number;
  readonly name: string;
  /** Its length. */
  readonly bytes: number;
}

export interface ArchivedPlace {
  readonly file: ArchiveFile;
  /** Where the segment begins in the file. */
  readonly offset: number;
  /** Where the filter of its names is among those of the file. */
  readonly names: { readonly offset: number; readonly bytes: number };
  readonly digest: Uint8Array;
}

export type MetadataRow = {
  state: SegmentMetadata["state"];
  first_seq: number;
  runs: number;
  bytes: number;
  started_min: number;
  started_max: number;
  recorded_min: number;
  recorded_max: number;
  cost_min: string;
  cost_max: string;
};

export function fromMetadataRow(row: MetadataRow): SegmentMetadata {
  return {
    state: row.state,
    firstSeq: row.first_seq,
    runs: row.runs,
    bytes: row.bytes,
    startedMin: row.started_min,
    startedMax: row.started_max,
    recordedMin: row.recorded_min,
    recordedMax: row.recorded_max,
    costMin: BigInt(row.cost_min),
    costMax: BigInt(row.cost_max),
  };
}

type Place = Pick<SegmentMetadata, "state" | "firstSeq" | "bytes">;

/** The metadata of at least one run. */
export function metadataOf(place: Place, runs: readonly RunRecord[]): SegmentMetadata {
  const [first] = runs;
  if (first === undefined) throw new Error("a segment has at least one run");
  let { startedAt: startedMin, recordedAt: recordedMin, cost: costMin } = first;
  let [startedMax, recordedMax, costMax] = [startedMin, recordedMin, costMin];
  for (const { startedAt, recordedAt, cost } of runs) {
    if (startedAt < startedMin) startedMin = startedAt;
    if (startedAt > startedMax) startedMax = startedAt;
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
    if (cost < costMin) costMin = cost;
    if (cost > costMax) costMax = cost;
  }
  const { state, firstSeq, bytes } = place;
  return {
    state,
    firstSeq,
    runs: runs.length,
    bytes,
    startedMin,
    startedMax,
    recordedMin,
    recordedMax,
    costMin,
    costMax,
  };
}

/** The metadata of a segment with more runs at its end. */
export function extended(segment: SegmentMetadata, added: SegmentMetadata): SegmentMetadata {
  return {
    state: segment.state,
    firstSeq: segment.firstSeq,
    runs: segment.runs + added.runs,
    bytes: segment.bytes + added.bytes,
    startedMin: Math.min(segment.startedMin, added.startedMin),
    startedMax: Math.max(segment.startedMax, added.startedMax),
    recordedMin: Math.min(segment.recordedMin, added.recordedMin),
    recordedMax: Math.max(segment.recordedMax, added.recordedMax),
    costMin: segment.costMin < added.costMin ? segment.costMin : added.costMin,
    costMax: segment.costMax > added.costMax ? segment.costMax : added.costMax,
  };
}

export function lastSeqOf({ firstSeq, runs }: SegmentMetadata): number {
  return firstSeq + runs - 1;
}

/** Whether both are of one segment with the same content. */
export function isAlike(one: SegmentMetadata, other: SegmentMetadata | undefined): boolean {
  return (
    one.state === other?.state &&
    one.firstSeq === other.firstSeq &&
    one.runs === other.runs &&
    one.bytes === other.bytes
  );
}

export function metadataOfTombstones(
  firstSeq: number,
  bytes: number,
  all: readonly Tombstone[],
): SegmentMetadata {
  let [recordedMin, recordedMax] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { recordedAt } of all) {
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
  }
  return {
    state: "remains",
    firstSeq,
    runs: all.length,
    bytes,
    startedMin: 0,
    startedMax: 0,
    recordedMin,
    recordedMax,
    costMin: 0n,
    costMax: 0n,
  };
}

/** The segment that contains a seq, by binary search. */
export function segmentWith(segments: readonly SegmentMetadata[], seq: number): SegmentMetadata | undefined {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const segment = segments[middle];
    if (segment === undefined) return undefined;
    if (seq < segment.firstSeq) high = middle - 1;
    else if (seq > lastSeqOf(segment)) low = middle + 1;
    else return segment;
  }
  return undefined;
}
