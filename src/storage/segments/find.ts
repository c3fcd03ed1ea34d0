import type { Unreadable } from "../needs-fetch.ts";
import { reduceArchived } from "./archived-segments.ts";
import { ArchivedIdProbe } from "./archived-ids.ts";
import type { SegmentColumns, SegmentRow, SegmentTombstone } from "./layout.ts";
import { type ArchivedFile, lastSeqOf, type SegmentMetadata, STATE } from "./metadata.ts";
import type { SegmentList } from "./segment-list.ts";
import type { Segments } from "./segments.ts";

export interface FoundRows<Row, Tombstone> {
  /** The rows, by seq. */
  readonly rows: Map<number, Row>;
  /** The tombstones of other rows with the same seqs. */
  readonly tombstones: Tombstone[];
  /** The archived rows that cannot be read, by id. */
  readonly unreadable: Map<string, Unreadable>;
}

/** Finds the rows with these seqs that have one of the ids. */
export function findRows<
  Row extends SegmentRow,
  Columns extends SegmentColumns<Row>,
  Tombstone extends SegmentTombstone,
>(
  segments: Segments<Row, Columns, Tombstone>,
  seqs: readonly number[],
  ids: ReadonlySet<string>,
): FoundRows<Row, Tombstone> {
  const found: FoundRows<Row, Tombstone> = { rows: new Map(), tombstones: [], unreadable: new Map() };
  const archived: number[] = [];
  const { list } = segments;
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
    const segment = list.rangeWith(seq);
    if (segment === undefined) {
      // Those that wait need not be made a segment for this.
      const row = segments.waitingRow(seq);
      if (row !== undefined && ids.has(row.id)) found.rows.set(seq, row);
      continue;
    }
    const at = seq - segment.firstSeq;
    if (segment.state === STATE.tombstones) {
      const one = segments.tombstones(segment)[at];
      if (one !== undefined) found.tombstones.push(one);
    } else if (segment.state === STATE.archived) archived.push(seq);
    else {
      const columns = segments.columns(segment);
      if (ids.has(columns.ids[at] ?? "")) found.rows.set(seq, columns.row(at));
    }
  }
  if (archived.length > 0) findInFiles(segments, archived, ids, found);
  return found;
}

/** A file is only read for a row whose id has the right hashes. */
function findInFiles<
  Row extends SegmentRow,
  Columns extends SegmentColumns<Row>,
  Tombstone extends SegmentTombstone,
>(
  segments: Segments<Row, Columns, Tombstone>,
  archived: readonly number[],
  ids: ReadonlySet<string>,
  found: FoundRows<Row, Tombstone>,
): void {
  const probe = new ArchivedIdProbe(segments, ids, segments.hashKey);
  const likely = archived.filter((seq) => probe.idAt(seq) !== null);
  const inSegment = (segment: SegmentMetadata) =>
    likely.filter((seq) => seq >= segment.firstSeq && seq <= lastSeqOf(segment));
  const read = reduceArchived(segments, (from) => segmentsWith(segments.list, likely, from), {
    key: `rows ${likely.join()}`,
    start: () => ({ rows: new Map<number, Row>(), unreadable: new Map<number, Unreadable>() }),
    add: ({ rows }, columns: Columns, segment) => {
      for (const seq of inSegment(segment)) rows.set(seq, columns.row(seq - segment.firstSeq));
    },
    addUnreadable: ({ unreadable }, cause, segment) => {
      for (const seq of inSegment(segment)) unreadable.set(seq, cause);
    },
  });
  for (const [seq, cause] of read.unreadable) found.unreadable.set(probe.idAt(seq) ?? "", cause);
  for (const [seq, row] of read.rows) if (ids.has(row.id)) found.rows.set(seq, row);
}

/** The segments with these seqs, which are in order, from one on. Each file is looked up when its turn comes. */
function* segmentsWith(
  list: SegmentList,
  seqs: readonly number[],
  from: number,
): Generator<SegmentMetadata, void> {
  let next = from;
  for (const seq of seqs) {
    const segment = seq < next ? undefined : list.with(seq);
    if (segment === undefined) continue;
    next = lastSeqOf(segment) + 1;
    yield segment;
  }
}

/** Ids of archived rows that were read, by seq: a report looks for the same ones at each step. */
const READ_IDS = new WeakMap<ArchivedFile, Map<number, string>>();

/** Returns those of these seqs whose row has one of the ids, each with the id. */
export function findIds(
  segments: Segments,
  seqs: readonly number[],
  ids: ReadonlySet<string>,
): ReadonlyMap<number, string> {
  const fileOf = (seq: number) => {
    const range = segments.list.rangeWith(seq);
    return range?.state === STATE.archived ? range : undefined;
  };
  const found = new Map<number, string>();
  const unknown: number[] = [];
  for (const seq of seqs) {
    const file = fileOf(seq);
    const id = file === undefined ? undefined : READ_IDS.get(file)?.get(seq);
    if (id === undefined) unknown.push(seq);
    else if (ids.has(id)) found.set(seq, id);
  }
  const { rows, unreadable } = findRows(segments, unknown, ids);
  for (const cause of unreadable.values()) throw cause;
  for (const [seq, { id }] of rows) {
    found.set(seq, id);
    const file = fileOf(seq);
    if (file !== undefined)
      READ_IDS.set(file, (READ_IDS.get(file) ?? new Map<number, string>()).set(seq, id));
  }
  return found;
}
