import type { SegmentTombstone } from "./layout.ts";
import type { ZoneMap } from "./zone-map.ts";

/**
 * The states of a segment, as they are stored: it holds rows, or rows that are in a file, or the tombstones of deleted
 * rows.
 */
export const STATE = { rows: "runs", archived: "archived", tombstones: "remains" } as const;

/** The facts about stored rows that are known without reading them. */
export interface SegmentMetadata extends ZoneMap {
  readonly state: (typeof STATE)[keyof typeof STATE];
  /** Names its row in the table, unless it is archived. */
  readonly firstSeq: number;
  readonly rows: number;
  readonly bytes: number;
  /** Where an archived segment is. */
  readonly place?: ArchivedPlace;
}

/** A file in the archive: segments that follow one another. */
export interface ArchivedFile {
  readonly firstSeq: number;
  readonly rows: number;
  readonly name: string;
  /** Its length. */
  readonly bytes: number;
}

export interface ArchivedPlace {
  readonly file: ArchivedFile;
  /** Where the segment begins in the file. */
  readonly offset: number;
  /** Where the filter of its names is among those of the file. */
  readonly names: { readonly offset: number; readonly bytes: number };
  readonly digest: Uint8Array;
}

export function lastSeqOf({ firstSeq, rows }: Pick<SegmentMetadata, "firstSeq" | "rows">): number {
  return firstSeq + rows - 1;
}

/** Returns whether both are of one segment with the same content. */
export function isAlike(one: SegmentMetadata, other: SegmentMetadata | undefined): boolean {
  return (
    one.state === other?.state &&
    one.firstSeq === other.firstSeq &&
    one.rows === other.rows &&
    one.bytes === other.bytes
  );
}

export function metadataOfTombstones(
  firstSeq: number,
  bytes: number,
  all: readonly SegmentTombstone[],
): SegmentMetadata {
  let [recordedMin, recordedMax] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { recordedAt } of all) {
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
  }
  const recorded = { recordedMin, recordedMax };
  const zones = { startedMin: 0, startedMax: 0, ...recorded, costMin: 0n, costMax: 0n };
  return { state: STATE.tombstones, firstSeq, rows: all.length, bytes, ...zones };
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
