import type { SegmentColumns, SegmentRow, SegmentTombstone } from "./layout.ts";
import { lastSeqOf, type LocalSegment, metadataOfTombstones, STATE, type StoredRange } from "./metadata.ts";
import type { Segments } from "./segments.ts";
import { deleteSegments, NO_FILTER, writeSegment } from "./table.ts";

export interface OldestRows<Row> {
  readonly rows: readonly Row[];
  readonly bytes: number;
  /** True if they are all rows of their segment. */
  readonly isWhole: boolean;
}

/** The oldest rows that were recorded before a time and have a lower seq than one, from at most one segment. */
export function oldestRows<Row extends SegmentRow>(
  segments: Segments<Row, SegmentColumns<Row>>,
  beforeMs: number,
  beforeSeq = Number.POSITIVE_INFINITY,
): OldestRows<Row> {
  const segment = segments.firstHeld;
  if (segment === undefined || segment.recordedMin >= beforeMs || segment.firstSeq >= beforeSeq) {
    return { rows: [], bytes: 0, isWhole: false };
  }
  assertLocal(segment);
  const columns = segments.columns(segment);
  const young = columns.moments("recordedAt").findIndex((recordedAt) => recordedAt >= beforeMs);
  const count = Math.min(young === -1 ? columns.count : young, beforeSeq - segment.firstSeq);
  const rows = Array.from({ length: count }, (_, at) => columns.row(at));
  return { rows, bytes: segment.bytes, isWhole: count === columns.count };
}

function assertLocal(range: StoredRange): asserts range is LocalSegment {
  if (range.state === STATE.archived) throw new Error(`row ${range.firstSeq} is in a file: restore it first`);
}

/** Deletes the oldest rows, all or some of their segment, and keeps a tombstone of each. */
export function deleteOldest<Row extends SegmentRow, Tombstone extends SegmentTombstone>(
  segments: Segments<Row, SegmentColumns<Row>, Tombstone>,
  tombstones: readonly Tombstone[],
): void {
  const segment = segments.firstHeld;
  if (segment === undefined || tombstones.length === 0) return;
  assertLocal(segment);
  const left = [...segments.columns(segment)].slice(tombstones.length);
  const data = segments.layout.encodeTombstones(tombstones);
  const deleted = metadataOfTombstones(segment.firstSeq, data.length, tombstones);
  writeSegment(segments, deleted, NO_FILTER, data);
  const rest = left.length === 0 ? [] : [segments.write(lastSeqOf(deleted) + 1, left)];
  segments.replace([segment], [deleted, ...rest]);
}

/** Deletes segments of tombstones whose rows were all recorded before a time. Returns how many rows there were. */
export function forgetTombstones(segments: Segments, beforeMs: number, mostSegments: number): number {
  const { ranges } = segments.list;
  const young = ranges.findIndex(
    ({ state, recordedMax }) => state !== STATE.tombstones || recordedMax >= beforeMs,
  );
  const gone = ranges.slice(0, Math.min(young === -1 ? ranges.length : young, mostSegments));
  const [first, last] = [gone[0], gone.at(-1)];
  if (first === undefined || last === undefined) return 0;
  deleteSegments(segments, first.firstSeq, last.firstSeq);
  segments.replace(gone, []);
  return gone.reduce((sum, { rows }) => sum + rows, 0);
}
