import type { Row } from "./shape.ts";

/** What one command changed of one table. */
export type TableChange = readonly [table: string, written: readonly Row[], deleted: readonly Row[]];

/** Entries that may wait for a fold, each in its slot. */
export const MOST_ENTRIES = 256;
/** Of one entry. A character is at most three bytes, and a row at most 2 MB. */
export const MOST_CHARACTERS = 250_000;
/** Of all entries that wait: waking reads them, and a fold writes them while other calls wait. */
export const MOST_WAITING_CHARACTERS = 500_000;

/** Of rows that a checkpoint leaves in the journal: the counters of some 20,000 customers. Waking parses them in some 30 ms. */
export const MOST_CARRIED_CHARACTERS = 4_000_000;

const FOLDED_SLOT = 0;
const SHAPES_SLOT = -1;

interface Waiting {
  /** The last entry; the next gets one more. */
  readonly seq: number;
  readonly bodies: readonly string[];
}

/** The entries that are not in the tables yet, oldest first. */
export function readWaiting(sql: SqlStorage): Waiting {
  const rows = sql
    .exec<{ slot: number; seq: number; body: string }>(
      `SELECT slot, seq, body FROM journal
       WHERE slot >= ?1 AND seq >= IFNULL((SELECT seq FROM journal WHERE slot = ?1), 0) ORDER BY seq, slot`,
      FOLDED_SLOT,
    )
    .toArray();
  const folded = rows.find(({ slot }) => slot === FOLDED_SLOT)?.seq ?? 0;
  const waiting = rows.filter(({ seq }) => seq > folded);
  if (waiting.some(({ seq }, index) => seq !== folded + index + 1)) {
    throw new Error(`the journal lacks entries after ${folded}`);
  }
  return { seq: folded + waiting.length, bodies: waiting.map(({ body }) => body) };
}

export function writeEntry(sql: SqlStorage, seq: number, body: string): void {
  writeSlot(sql, 1 + (seq % MOST_ENTRIES), seq, body);
}

/** All entries up to this one are in the tables. */
export function writeFolded(sql: SqlStorage, seq: number): void {
  writeSlot(sql, FOLDED_SLOT, seq, "");
}

export function readShapes(sql: SqlStorage): string | null {
  const rows = sql.exec<{ body: string }>("SELECT body FROM journal WHERE slot = ?", SHAPES_SLOT);
  return rows.toArray()[0]?.body ?? null;
}

export function writeShapes(sql: SqlStorage, shapes: string): void {
  writeSlot(sql, SHAPES_SLOT, 0, shapes);
}

function writeSlot(sql: SqlStorage, slot: number, seq: number, body: string): void {
  sql.exec("INSERT OR REPLACE INTO journal (slot, seq, body) VALUES (?, ?, ?)", slot, seq, body);
}
