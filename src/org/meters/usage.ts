import { readRows } from "../../storage/read-rows.ts";
import { type Account, type Meter, NO_USAGE, type Usage, windowOf } from "../../domain/meter/meter.ts";
import type { Notices } from "../../domain/meter/alert-notices.ts";
import { accountKey } from "../../gate/decision/account-key.ts";
import { isTooMuch } from "../../gate/lease/size.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { Table } from "../../storage/table.ts";
import { runInParts } from "../../storage/json-rows.ts";
import { forgetCounters, noteCounter } from "./largest-counters.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    usage: true;
  }
}

/** An account in use: with what was announced about it, and what is stored of it. */
export interface MeterAccount extends Account {
  notices: Notices;
  stored: { readonly usage: Usage; readonly notices: Notices };
}

type UsageRow = {
  at: number;
  spent: string;
  over: string;
  held: string;
  leased: string;
  notices: string;
};

export function newEntry(meter: Meter, subject: string, atMs: number): MeterAccount {
  const stored = { usage: NO_USAGE, notices: "" };
  return { meter, subject, window: windowOf(meter, atMs), ...stored, stored };
}

type StoredUsage = MeterAccount["stored"];

const KEY = ["meter_id", "subject", "window_start"];
const COUNTERS = ["spent", "over", "held", "leased", "notices"];
/** The counts of each limit, subject and window. */
export const USAGE = new Table({
  name: "usage",
  columns: [...KEY, ...COUNTERS],
  key: KEY,
  named: KEY,
  changing: COUNTERS,
  isCarried: true,
});

const MOST_COPIES = 10_000;
const copies = new TransactionalCache<Map<string, StoredUsage>>();

function keyOf({ meter, subject, window }: MeterAccount): string {
  // Neither a meter's id nor a number contains a space.
  return `${meter.id} ${window.startMs} ${subject}`;
}

/** Code that changes counters in another way than `saveUsage` must drop the copies. */
export function forgetUsage(sql: SqlStorage): void {
  copies.forget(sql);
  forgetCounters(sql);
}

/** Loads the usage of entries: from memory if possible, all others in one statement. */
export function loadUsage(sql: SqlStorage, entries: readonly MeterAccount[]): void {
  const known = copies.get(sql, () => new Map());
  const unknown: MeterAccount[] = [];
  for (const entry of entries) {
    const stored = known.get(keyOf(entry));
    if (stored === undefined) unknown.push(entry);
    else fill(entry, stored);
  }
  if (unknown.length === 0) return;
  readUsage(
    sql,
    unknown.filter((entry) => !readChanged(sql, entry)),
  );
  if (known.size + unknown.length > MOST_COPIES) known.clear();
  for (const entry of unknown) known.set(keyOf(entry), entry.stored);
}

function fill(entry: MeterAccount, stored: StoredUsage): void {
  entry.usage = stored.usage;
  entry.notices = stored.notices;
  entry.stored = stored;
}

/** False if it is as the table has it. */
function readChanged(sql: SqlStorage, entry: MeterAccount): boolean {
  const row = USAGE.get(sql, entry.meter.id, entry.subject, entry.window.startMs);
  if (row === undefined || row === null) return false;
  const [, , , spent, over, held, leased, notices] = row as Row;
  fill(entry, toStoredUsage({ spent, over, held, leased, notices }));
  return true;
}

function toStoredUsage({ spent, over, held, leased, notices }: Omit<UsageRow, "at">): StoredUsage {
  const usage = { spent: BigInt(spent), over: BigInt(over), held: BigInt(held), leased: BigInt(leased) };
  return { usage, notices };
}

function readUsage(sql: SqlStorage, entries: readonly MeterAccount[]): void {
  if (entries.length === 0) return;
  const keys = entries.map((entry) => [entry.meter.id, entry.subject, entry.window.startMs]);
  runInParts(keys, (json, from) => readSome(sql, entries, json, from));
}

function readSome(sql: SqlStorage, entries: readonly MeterAccount[], json: string, from: number): void {
  const rows = sql.exec<UsageRow>(
    `SELECT k.key AS at, u.spent, u.over, u.held, u.leased, u.notices
     FROM json_each(?) AS k JOIN usage AS u
       ON u.meter_id = k.value ->> 0 AND u.subject = k.value ->> 1 AND u.window_start = k.value ->> 2`,
    json,
  );
  for (const row of readRows(rows)) {
    const entry = entries[from + row.at];
    if (entry !== undefined) fill(entry, toStoredUsage(row));
  }
}

/** Writes the changed entries, each once. */
export function saveUsage(sql: SqlStorage, entries: Iterable<MeterAccount>): void {
  const changed: Row[] = [];
  const known = copies.get(sql, () => new Map());
  for (const entry of entries) {
    if (entry.usage === entry.stored.usage && entry.notices === entry.stored.notices) continue;
    const { spent, over, held, leased } = entry.usage;
    changed.push([
      entry.meter.id,
      entry.subject,
      entry.window.startMs,
      String(spent),
      String(over),
      String(held),
      String(leased),
      entry.notices,
    ]);
    noteCounter(sql, {
      meterId: entry.meter.id,
      startMs: entry.window.startMs,
      subject: entry.subject,
      before: entry.stored.usage,
      after: entry.usage,
    });
    entry.stored = { usage: entry.usage, notices: entry.notices };
    known.set(keyOf(entry), entry.stored);
    if (comesNear(entry)) near.get(sql, () => new Set()).add(accountKey(entry));
  }
  USAGE.put(sql, changed);
}

/** Limits that have come near while isolates have slices of them, since they were last taken, by the keys of their slices. */
const near = new TransactionalCache<Set<string>>();

export function takeNearLimits(sql: SqlStorage): ReadonlySet<string> {
  const found = near.get(sql, () => new Set());
  near.forget(sql);
  return found;
}

/** Returns whether slices of the limit are more than they would be if they were given now. */
function comesNear({ meter: { limit }, usage: { spent, over, held, leased } }: MeterAccount): boolean {
  return leased > 0n && limit !== null && isTooMuch(leased, limit - spent - over - held);
}

type Row = readonly [
  meter: string,
  subject: string,
  windowStart: number,
  spent: string,
  over: string,
  held: string,
  leased: string,
  notices: string,
];
