import type { SegmentTombstone } from "./layout.ts";
import type { ZoneMap } from "./zone-map.ts";

/**
 * The states of a segment, as they are stored: it holds rows, or rows that are in a file, or the tombstones of deleted
 * rows.
 */
export const STATE = { rows: "runs", archived: "archived", tombstones: "remains" } as const;

/** The facts about stored rows that follow one another, known without reading them. */
interface RowFacts extends ZoneMap {
  readonly firstSeq: number;
  readonly rows: number;
  readonly bytes: number;
}

/** A segment that the object stores. Its first seq names its row in the table. */
export interface LocalSegment extends RowFacts {
  readonly state: typeof STATE.rows | typeof STATE.tombstones;
}

/** A file in the archive: segments that follow one another. An object may have many, and remembers this of each. */
export interface ArchivedFile extends RowFacts {
  readonly state: typeof STATE.archived;
  readonly name: string;
  readonly segments: number;
}

/** A segment in a file. It is read from the object's tables when it is needed. */
export interface ArchivedSegment extends RowFacts {
  readonly state: typeof STATE.archived;
  readonly file: ArchivedFile;
  /** Where it begins in the file. */
  readonly offset: number;
  readonly digest: string;
}

export type SegmentMetadata = LocalSegment | ArchivedSegment;

/** Rows that follow one another, as the object remembers where they are. */
export type StoredRange = LocalSegment | ArchivedFile;

export type RowRange = StoredRange | SegmentMetadata;

/** True of a range if it is true of any segment in it. */
export type IsWanted = (range: RowRange) => boolean;

export function firstSegments<Segment extends SegmentMetadata>(
  all: Iterable<Segment>,
  most: number,
): Segment[] {
  const first: Segment[] = [];
  for (const segment of all) {
    if (first.length >= most) break;
    first.push(segment);
  }
  return first;
}

export function lastSeqOf({ firstSeq, rows }: Pick<RowFacts, "firstSeq" | "rows">): number {
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
): LocalSegment {
  let [recordedMin, recordedMax] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { recordedAt } of all) {
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
  }
  const recorded = { recordedMin, recordedMax };
  const zones = { startedMin: 0, startedMax: 0, ...recorded, costMin: 0n, costMax: 0n };
  return { state: STATE.tombstones, firstSeq, rows: all.length, bytes, ...zones };
}
