import { LeaseLedger, type OutstandingSlice } from "../../gate/lease/lease-ledger.ts";
import { LEASE } from "../../gate/lease/protocol.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { Table } from "../../storage/table.ts";
import { loadSlices, putSlices, sliceRow } from "./slice-store.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    lease_holders: true;
  }
}

type Row = {
  holder: string;
  attempt: number;
  batch: number;
  asked_at: number;
  refusals: number;
  until: number;
};

const CHANGING = ["attempt", "batch", "asked_at", "slices", "refusals", "until"] as const;
const COLUMNS = ["holder", ...CHANGING] as const;
const TABLE = new Table({
  name: "lease_holders",
  columns: COLUMNS,
  key: ["holder"],
  named: ["holder"],
  changing: CHANGING,
});

const ledgers = new TransactionalCache<LeaseLedger>();

/** The lease ledger to work on. Code that changes what an isolate has saves it in the same transaction. */
export function leaseLedgerOf(sql: SqlStorage): LeaseLedger {
  return ledgers.get(sql, () => loadLedger(sql, Date.now()));
}

/**
 * Slices as they are stored, and their ends as late as they can be: renewals are stored ahead, and none was made after the
 * object's last life.
 */
export function loadLedger(sql: SqlStorage, now: number): LeaseLedger {
  const book = new LeaseLedger();
  const slices = loadSlices(sql);
  for (const { holder, attempt, batch, asked_at: askedAt, refusals, until } of readHolders(sql)) {
    const restored = (slices.get(holder) ?? []).map(([meter, slice]): [string, OutstandingSlice] => [
      meter,
      { ...slice, until: Math.min(now + LEASE.lifeMs, Math.max(slice.until, until)) },
    ]);
    book.restore({ holder, attempt, batch, askedAt, refusals, until, slices: restored });
  }
  return book;
}

/** With those that are not in the table yet, or not like that. */
function readHolders(sql: SqlStorage): Iterable<Row> {
  const rows = sql.exec<Row>("SELECT * FROM lease_holders").toArray();
  const holders = new Map(
    rows.filter(({ holder }) => TABLE.get(sql, holder) === undefined).map((row) => [row.holder, row]),
  );
  for (const [holder, attempt, batch, asked_at, , refusals, until] of TABLE.changed(
    sql,
  ) as Iterable<HolderRow>) {
    holders.set(holder, { holder, attempt, batch, asked_at, refusals, until });
  }
  return holders.values();
}

type HolderRow = readonly [string, number, number, number, string, number, number];

/** Stores what an isolate's ask has changed: the numbers of what it reported, and these slices. */
export function saveHolder(sql: SqlStorage, holder: string, changed: Iterable<string>): void {
  const book = leaseLedgerOf(sql);
  const { attempt, batch, askedAt, refusals = 0, until = 0 } = book.counters(holder);
  TABLE.put(sql, [[holder, attempt, batch, askedAt, NO_SLICES, refusals, until]]);
  putSlices(
    sql,
    Array.from(changed, (meter) => sliceRow(holder, meter, book.slice(holder, meter))),
  );
}

/** Slices have a table of their own. */
const NO_SLICES = "[]";

export function deleteHolder(sql: SqlStorage, holder: string): void {
  TABLE.delete(sql, [[holder, null, null, null, null, null, null]]);
}
