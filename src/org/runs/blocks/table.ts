import type { ColumnNames } from "../../../domain/run-block/frame.ts";
import { NAME_COLUMNS, type NameColumn } from "../../../domain/run-block/record.ts";
import { nameKey } from "../../../domain/run-block/names.ts";
import { NameFilter } from "../../../storage/segments/name-filter.ts";
import { type BlockEntry, type EntryRow, fromEntryRow } from "./entry.ts";

/** Rows of `run_blocks`, each identified by the seq of its first run. */

const ENTRY_COLUMNS = `state, first_seq, runs, octet_length(data) AS bytes, started_min, started_max, recorded_min,
  recorded_max, cost_min, cost_max`;

export function readEntries(sql: SqlStorage, fromSeq: number): BlockEntry[] {
  return sql
    .exec<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM run_blocks WHERE first_seq >= ? ORDER BY first_seq`,
      fromSeq,
    )
    .toArray()
    .map(fromEntryRow);
}

export function readBytes(sql: SqlStorage, firstSeq: number): Uint8Array<ArrayBuffer> {
  const [row] = sql
    .exec<{ data: ArrayBuffer }>("SELECT data FROM run_blocks WHERE first_seq = ?", firstSeq)
    .toArray();
  if (row === undefined) throw new Error(`the block of run ${firstSeq} is missing`);
  return new Uint8Array(row.data);
}

/** The filter of the names in a block. */
export function namesOf(sql: SqlStorage, firstSeq: number): Uint8Array<ArrayBuffer> {
  const [row] = sql
    .exec<{ names: ArrayBuffer }>("SELECT names FROM run_blocks WHERE first_seq = ?", firstSeq)
    .toArray();
  if (row === undefined) throw new Error(`the block of run ${firstSeq} is missing`);
  return new Uint8Array(row.names);
}

/** A null name means runs without one. Any block may have such runs. */
export type Named = readonly [column: NameColumn, name: string | null];

/** Which of the blocks that begin with these seqs or one between them may have runs with all of these names. */
export function blocksWithNames(
  sql: SqlStorage,
  names: readonly Named[],
  [from, to]: readonly [from: number, to: number],
): ReadonlySet<number> {
  const rows = sql.exec<{ first_seq: number; names: ArrayBuffer }>(
    "SELECT first_seq, names FROM run_blocks WHERE state = 'runs' AND first_seq >= ? AND first_seq <= ?",
    from,
    to,
  );
  const found = new Set<number>();
  for (const { first_seq, names: stored } of rows) {
    if (mayHaveAll(NameFilter.read(stored), names)) found.add(first_seq);
  }
  return found;
}

export function mayHaveAll(filter: NameFilter, names: readonly Named[]): boolean {
  return names.every(([column, name]) => name === null || filter.mayHave(nameKey(column, name)));
}

/** A filter of the names in a complete block. A block that still grows has none, and may have any name. */
export function filterOf(names: ColumnNames): ArrayBuffer {
  const filtered = FILTERED.flatMap((column) =>
    (names.get(column) ?? []).map((name) => nameKey(column, name)),
  );
  return NameFilter.of(filtered).stored;
}

const FILTERED = NAME_COLUMNS.filter((column) => column !== "charges" && column !== "tags");

export const NO_FILTER = new ArrayBuffer(0);

export function writeBlock(
  sql: SqlStorage,
  entry: BlockEntry,
  names: ArrayBuffer,
  data: Uint8Array<ArrayBuffer>,
): void {
  sql.exec(
    `INSERT INTO run_blocks (first_seq, state, runs, started_min, started_max, recorded_min, recorded_max, cost_min,
       cost_max, names, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (first_seq) DO UPDATE SET state = excluded.state, runs = excluded.runs,
       started_min = excluded.started_min, started_max = excluded.started_max,
       recorded_min = excluded.recorded_min, recorded_max = excluded.recorded_max,
       cost_min = excluded.cost_min, cost_max = excluded.cost_max, names = excluded.names, data = excluded.data`,
    entry.firstSeq,
    entry.state,
    entry.runs,
    entry.startedMin,
    entry.startedMax,
    entry.recordedMin,
    entry.recordedMax,
    String(entry.costMin),
    String(entry.costMax),
    names,
    data,
  );
}

/** For blocks that start with one of these seqs, both inclusive. */
export function deleteBlocks(sql: SqlStorage, from: number, to: number): void {
  sql.exec("DELETE FROM run_blocks WHERE first_seq >= ? AND first_seq <= ?", from, to);
}
