import { readInParts } from "../json-rows.ts";
import { joinedBytes } from "../../domain/bytes/joined-bytes.ts";
import { insertRow } from "../rows.ts";

/** How many entries of a block its row holds. The platform stores no row above 2 MB. */
const PART_BYTES = 1_048_576;
const PART_WORDS = PART_BYTES / 4;

/** The tables of one index begin with its name: `_segments`, `_blocks` and `_block_parts`. */
export interface IndexTables {
  readonly name: string;
  /** The filters of large segments have a table, too: `_filters`. */
  readonly hasFilters?: true;
}

/** Stores a block. Bytes that do not fit into its row are stored separately, in parts. */
export function writeBlock(
  sql: SqlStorage,
  { name }: IndexTables,
  { place, filter, words }: { place: number; filter: ArrayBuffer; words: Uint32Array },
): void {
  insertRow(sql, `${name}_blocks`, { place, filter, entries: words.slice(0, PART_WORDS).buffer });
  for (let part = 1; part * PART_WORDS < words.length; part += 1) {
    const entries = words.slice(part * PART_WORDS, (part + 1) * PART_WORDS).buffer;
    insertRow(sql, `${name}_block_parts`, { place, part, entries });
  }
}

/** The entries of blocks, by position. */
export function readBlocks(
  sql: SqlStorage,
  { name }: IndexTables,
  places: readonly number[],
): Map<number, Uint32Array> {
  const rows = readInParts(places, (json) =>
    sql.exec<{ place: number; entries: ArrayBuffer }>(
      `SELECT place, entries FROM ${name}_blocks WHERE place IN (SELECT value FROM json_each(?))`,
      json,
    ),
  );
  return new Map(
    rows.map(({ place, entries }) => [place, new Uint32Array(whole(sql, name, place, entries))]),
  );
}

export function deleteBlocks(sql: SqlStorage, { name }: IndexTables, from: number, until: number): void {
  for (const table of [`${name}_blocks`, `${name}_block_parts`]) {
    sql.exec(`DELETE FROM ${table} WHERE place >= ? AND place < ?`, from, until);
  }
}

function whole(sql: SqlStorage, name: string, place: number, first: ArrayBuffer): ArrayBuffer {
  if (first.byteLength < PART_BYTES) return first;
  const parts = sql
    .exec<{ entries: ArrayBuffer }>(
      `SELECT entries FROM ${name}_block_parts WHERE place = ? ORDER BY part`,
      place,
    )
    .toArray();
  const pieces = [first, ...parts.map(({ entries }) => entries)];
  return joinedBytes(pieces.map((piece) => new Uint8Array(piece))).buffer;
}
