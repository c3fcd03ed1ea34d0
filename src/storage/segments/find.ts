import type { Unreadable } from "../needs-fetch.ts";
import { reduceArchived } from "./archived-segments.ts";
import { FileProbe } from "./file-index.ts";
import type { SegmentColumns, SegmentRow, SegmentTombstone } from "./layout.ts";
import { type ArchivedFile, type SegmentMetadata, segmentWith, STATE } from "./metadata.ts";
import type { Segments } from "./segments.ts";

export interface FoundRows<Row, Tombstone> {
  /** The rows, by seq. */
  readonly rows: Map<number, Row>;
  /** The tombstones of other rows with the same seqs. */
  readonly tombstones: Tombstone[];
  /** The archived rows that cannot be read, by id. */
  readonly unreadable: Map<string, Unreadable>;
}

interface ArchivedPosition {
  readonly seq: number;
  readonly segment: SegmentMetadata;
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
  const archived: ArchivedPosition[] = [];
  const { stored } = segments;
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
    const segment = segmentWith(stored, seq);
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
    } else if (segment.state === STATE.archived) archived.push({ seq, segment });
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
  archived: readonly ArchivedPosition[],
  ids: ReadonlySet<string>,
  found: FoundRows<Row, Tombstone>,
): void {
  const probe = new FileProbe(segments, ids, segments.hashKey);
  const likely = archived.filter(({ seq, segment }) => probe.idAt(segment, seq) !== null);
  const bySegment = Map.groupBy(likely, ({ segment }) => segment);
  const read = reduceArchived(segments, [...bySegment.keys()], {
    key: `rows ${likely.map(({ seq }) => seq).join()}`,
    start: () => ({ rows: new Map<number, Row>(), unreadable: new Map<number, Unreadable>() }),
    add: ({ rows }, columns: Columns, segment) => {
      for (const { seq } of bySegment.get(segment) ?? []) rows.set(seq, columns.row(seq - segment.firstSeq));
    },
    addUnreadable: ({ unreadable }, cause, segment) => {
      for (const { seq } of bySegment.get(segment) ?? []) unreadable.set(seq, cause);
    },
  });
  for (const { seq, segment } of likely) {
    const cause = read.unreadable.get(seq);
    if (cause !== undefined) found.unreadable.set(probe.idAt(segment, seq) ?? "", cause);
  }
  for (const [seq, row] of read.rows) if (ids.has(row.id)) found.rows.set(seq, row);
}

/** Ids of archived rows that were read, by seq: a report looks for the same ones at each step. */
const READ_IDS = new WeakMap<ArchivedFile, Map<number, string>>();

/** Returns those of these seqs whose row has one of the ids, each with the id. */
export function findIds(
  segments: Segments,
  seqs: readonly number[],
  ids: ReadonlySet<string>,
): ReadonlyMap<number, string> {
  const { stored } = segments;
  const fileOf = (seq: number) => segmentWith(stored, seq)?.place?.file;
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
