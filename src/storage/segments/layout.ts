import type { Table, Value } from "../table.ts";

/** The part of a row that the engine knows: the id by which it is found, and what lists are sorted by. */
export interface SegmentRow {
  readonly id: string;
  readonly startedAt: number;
  readonly recordedAt: number;
  readonly cost: bigint;
}

/** The rows of a segment. A column is decoded when it is first needed. */
export interface SegmentColumns<Row> extends Iterable<Row> {
  readonly count: number;
  readonly ids: readonly string[];
  moments(column: "recordedAt"): readonly number[];
  row(at: number): Row;
  /** About how long a row is, beside its columns. */
  charactersOf(at: number): number;
}

/** The remainder of a row that retention has deleted. */
export interface SegmentTombstone {
  readonly keyHash: number;
  readonly recordedAt: number;
}

export interface EncodedRows {
  /** A row group. A segment is a sequence of them. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** The names in it that lists filter by, each as one text with its column. */
  readonly names: () => readonly string[];
}

/** The sums of many rows by the names in one column. */
export interface Rollup {
  readonly column: number;
  /** 0: the rows have too many names to add up beforehand. */
  readonly groups: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface RollupMaker {
  add(segment: Uint8Array): void;
  rollups(): Iterable<Rollup>;
}

/** Tells the engine about the rows that it stores in segments. */
export interface SegmentLayout<
  Row extends SegmentRow,
  Columns extends SegmentColumns<Row> = SegmentColumns<Row>,
  Tombstone extends SegmentTombstone = SegmentTombstone,
> {
  /** The names of its tables begin with this. */
  readonly name: string;
  /** The name of its rows in messages. */
  readonly title: string;
  /** Where rows wait for a checkpoint, which calls `Segments.store`: the seq of each, and its values. */
  readonly waiting: Table;
  values(row: Row): readonly Value[];
  row(values: readonly Value[]): Row;
  encode(rows: readonly Row[]): EncodedRows;
  decode(segment: Uint8Array): Columns;
  encodeTombstones(all: readonly Tombstone[]): Uint8Array<ArrayBuffer>;
  decodeTombstones(data: Uint8Array): readonly Tombstone[];
  /** The columns that rollups are made by. */
  readonly rollupColumns: readonly number[];
  rollupMaker(): RollupMaker;
}

/** The segments of one object, as its statements need to know them. */
export interface SegmentPlace {
  readonly sql: SqlStorage;
  readonly name: string;
  /** The name of its rows in messages. */
  readonly title: string;
}
