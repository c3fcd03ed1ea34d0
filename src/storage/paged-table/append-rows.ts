import type { LogShape, Row, TableShape } from "../wal/table-shape.ts";

/** A page gets no row that would make it longer. A longer row has a page of its own. */
const FULL_CHARACTERS = 60_000;

/** The last page, and what comes after it. */
interface Draft {
  readonly first: number;
  readonly at: number;
  /** As it is stored. Null: it is new. */
  readonly before: string | null;
  readonly added: string[];
  last: number;
  characters: number;
}

/** Adds rows after all others. Each page that changes is written once. */
export function appendToLog(
  sql: SqlStorage,
  { columns, key }: TableShape,
  { pages, time }: LogShape,
  rows: readonly Row[],
): void {
  if (rows.length === 0) return;
  const [numberAt, timeAt] = [columns.indexOf(key[0] ?? ""), columns.indexOf(time)];
  let draft = readTail(sql, pages);
  for (const row of rows) {
    const text = JSON.stringify(row);
    const number = Number(row[numberAt]);
    if (draft === null || draft.characters + text.length > FULL_CHARACTERS) {
      if (draft !== null) writeDraft(sql, pages, draft);
      const at = Number(row[timeAt]);
      draft = { first: number, last: number, at, before: null, added: [], characters: 0 };
    }
    draft.added.push(text);
    draft.last = number;
    draft.characters += text.length;
  }
  if (draft !== null) writeDraft(sql, pages, draft);
}

function readTail(sql: SqlStorage, pages: string): Draft | null {
  const [tail] = sql
    .exec<{ first: number; last: number; at: number; body: string }>(
      `SELECT first, last, at, body FROM ${pages} ORDER BY first DESC LIMIT 1`,
    )
    .toArray();
  if (tail === undefined) return null;
  const { first, last, at, body } = tail;
  return { first, last, at, before: body, added: [], characters: body.length };
}

function writeDraft(sql: SqlStorage, pages: string, { first, last, at, before, added }: Draft): void {
  if (added.length === 0) return;
  const rows = added.join(",");
  if (before === null) {
    sql.exec(
      `INSERT INTO ${pages} (first, last, at, body) VALUES (?, ?, ?, ?)`,
      first,
      last,
      at,
      `[${rows}]`,
    );
  } else {
    const body = before === "[]" ? `[${rows}]` : `${before.slice(0, -1)},${rows}]`;
    sql.exec(`UPDATE ${pages} SET last = ?, body = ? WHERE first = ?`, last, body, first);
  }
}

/** The highest number that a row of its pages has or had. */
export function lastInLog(sql: SqlStorage, { pages }: LogShape): number {
  const rows = sql.exec<{ last: number }>(`SELECT last FROM ${pages} ORDER BY first DESC LIMIT 1`);
  return rows.toArray()[0]?.last ?? 0;
}
