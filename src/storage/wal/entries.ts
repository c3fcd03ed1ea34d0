import type { Row } from "./table-shape.ts";

/** The changes that one command made to one table. */
export type TableChange = readonly [table: string, written: readonly Row[], deleted: readonly Row[]];

/** Entries that may wait for a checkpoint, each in its slot. */
export const MOST_ENTRIES = 256;
/** The longest entry. A character is at most three bytes, and a row at most 2 MB. */
export const MOST_CHARACTERS = 250_000;
/** The length of all entries that wait: waking reads them, and a checkpoint writes them while other calls wait. */
export const MOST_LOGGED_CHARACTERS = 500_000;

/**
 * The length of the rows that a checkpoint leaves in the write-ahead log: the counters of some 20,000 customers. Waking
 * parses them in some 30 ms.
 */
export const MOST_CARRIED_CHARACTERS = 4_000_000;

const CHECKPOINT_SLOT = 0;
const SHAPES_SLOT = -1;

interface LoggedEntries {
  /** The last entry; the next gets one more. */
  readonly seq: number;
  readonly bodies: readonly string[];
}

/** The entries that are not in the tables yet, oldest first. */
export function readEntries(sql: SqlStorage): LoggedEntries {
  const rows = sql
    .exec<{ slot: number; seq: number; body: string }>(
      `SELECT slot, seq, body FROM journal
       WHERE slot >= ?1 AND seq >= IFNULL((SELECT seq FROM journal WHERE slot = ?1), 0) ORDER BY seq, slot`,
      CHECKPOINT_SLOT,
    )
    .toArray();
  const checkpointed = rows.find(({ slot }) => slot === CHECKPOINT_SLOT)?.seq ?? 0;
  const logged = rows.filter(({ seq }) => seq > checkpointed);
  if (logged.some(({ seq }, index) => seq !== checkpointed + index + 1)) {
    throw new Error(`the write-ahead log lacks entries after ${checkpointed}`);
  }
  return { seq: checkpointed + logged.length, bodies: logged.map(({ body }) => body) };
}

export function writeEntry(sql: SqlStorage, seq: number, body: string): void {
  writeSlot(sql, 1 + (seq % MOST_ENTRIES), seq, body);
}

/** Notes that all entries up to this one are in the tables. */
export function writeCheckpoint(sql: SqlStorage, seq: number): void {
  writeSlot(sql, CHECKPOINT_SLOT, seq, "");
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
