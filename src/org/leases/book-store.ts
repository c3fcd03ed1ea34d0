import { LeaseBook, type StoredHolder } from "../../gate/lease/book.ts";
import { Copy } from "../kernel/copies.ts";
import { JournalTable } from "../kernel/journal/table.ts";

type Row = {
  holder: string;
  attempt: number;
  batch: number;
  asked_at: number;
  slices: string;
  refusals: number;
};
type StoredSlice = [meter: string, left: string, until: number, lingerMs: number, since?: number];

const CHANGING = ["attempt", "batch", "asked_at", "slices", "refusals"] as const;
const COLUMNS = ["holder", ...CHANGING] as const;
const TABLE = new JournalTable({
  name: "lease_holders",
  columns: COLUMNS,
  key: ["holder"],
  named: ["holder"],
  changing: CHANGING,
});

const books = new Copy<LeaseBook>();

/** The book to work on. Code that changes what an isolate has saves it in the same transaction. */
export function bookOf(sql: SqlStorage): LeaseBook {
  return books.get(sql, () => loadBook(sql));
}

export function loadBook(sql: SqlStorage): LeaseBook {
  const book = new LeaseBook();
  for (const row of readHolders(sql)) {
    const slices = (JSON.parse(row.slices) as StoredSlice[]).map(
      ([meter, left, until, lingerMs, since = 0]) =>
        [meter, { left: BigInt(left), until, lingerMs, since }] as const,
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

/** With those that are not in the table yet, or not like that. */
function readHolders(sql: SqlStorage): Iterable<Row> {
  const rows = sql.exec<Row>("SELECT * FROM lease_holders").toArray();
  const holders = new Map(
    rows.filter(({ holder }) => TABLE.get(sql, holder) === undefined).map((row) => [row.holder, row]),
  );
  for (const [holder, attempt, batch, asked_at, slices, refusals] of TABLE.changed(
    sql,
  ) as Iterable<HolderRow>) {
    holders.set(holder, { holder, attempt, batch, asked_at, slices, refusals });
  }
  return holders.values();
}

type HolderRow = readonly [string, number, number, number, string, number];

export function saveHolder(sql: SqlStorage, stored: StoredHolder): void {
  const slices = stored.slices.map(([meter, { left, until, lingerMs, since = 0 }]): StoredSlice => [
    meter,
    String(left),
    until,
    lingerMs,
    since,
  ]);
  const { holder, attempt, batch, askedAt, refusals = 0 } = stored;
  TABLE.put(sql, [[holder, attempt, batch, askedAt, JSON.stringify(slices), refusals]]);
}

export function deleteHolder(sql: SqlStorage, holder: string): void {
  TABLE.delete(sql, [[holder, null, null, null, null, null]]);
}
