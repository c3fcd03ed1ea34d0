import { LeaseBook, type StoredHolder } from "../../gate/lease/book.ts";
import { Copy } from "../kernel/copies.ts";

type Row = {
  holder: string;
  attempt: number;
  batch: number;
  asked_at: number;
  slices: string;
  refusals: number;
};
type StoredSlice = [meter: string, left: string, until: number, lingerMs: number];

const books = new Copy<LeaseBook>();

/** The book to work on. Code that changes what an isolate has saves it in the same transaction. */
export function bookOf(sql: SqlStorage): LeaseBook {
  return books.get(sql, () => loadBook(sql));
}

export function loadBook(sql: SqlStorage): LeaseBook {
  const book = new LeaseBook();
  for (const row of sql.exec<Row>("SELECT * FROM lease_holders")) {
    const slices = (JSON.parse(row.slices) as StoredSlice[]).map(
      ([meter, left, until, lingerMs]) => [meter, { left: BigInt(left), until, lingerMs }] as const,
    );
    book.restore({
      holder: row.holder,
      attempt: row.attempt,
      batch: row.batch,
      askedAt: row.asked_at,
      refusals: row.refusals,
      slices,
    });
  }
  return book;
}

export function saveHolder(sql: SqlStorage, stored: StoredHolder): void {
  const slices = stored.slices.map(([meter, { left, until, lingerMs }]): StoredSlice => [
    meter,
    String(left),
    until,
    lingerMs,
  ]);
  sql.exec(
    `INSERT INTO lease_holders (holder, attempt, batch, asked_at, slices, refusals) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (holder) DO UPDATE SET attempt = excluded.attempt, batch = excluded.batch,
       asked_at = excluded.asked_at, slices = excluded.slices, refusals = excluded.refusals`,
    stored.holder,
    stored.attempt,
    stored.batch,
    stored.askedAt,
    JSON.stringify(slices),
    stored.refusals ?? 0,
  );
}

export function deleteHolder(sql: SqlStorage, holder: string): void {
  sql.exec("DELETE FROM lease_holders WHERE holder = ?", holder);
}
