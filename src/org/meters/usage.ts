import { type Account, type Meter, NO_USAGE, type Usage, windowOf } from "../../domain/meter.ts";
import type { Notices } from "../../domain/notice.ts";
import { Copy } from "../kernel/copies.ts";
import { inParts, jsonRows } from "../kernel/json-rows.ts";

/** An account in use: with what was announced about it, and what is stored of it. */
export interface Entry extends Account {
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

export function newEntry(meter: Meter, subject: string, atMs: number): Entry {
  const stored = { usage: NO_USAGE, notices: "" };
  return { meter, subject, window: windowOf(meter, atMs), ...stored, stored };
}

type Stored = Entry["stored"];

const MOST_COPIES = 10_000;
const copies = new Copy<Map<string, Stored>>();

function keyOf({ meter, subject, window }: Entry): string {
  // Neither a meter's id nor a number contains a space.
  return `${meter.id} ${window.startMs} ${subject}`;
}

/** Code that changes counters in another way than `saveUsage` must drop the copies. */
export function forgetUsage(sql: SqlStorage): void {
  copies.forget(sql);
}

/** Loads the usage of entries: from memory if possible, all others in one statement. */
export function loadUsage(sql: SqlStorage, entries: readonly Entry[]): void {
  const known = copies.get(sql, () => new Map());
  const unknown: Entry[] = [];
  for (const entry of entries) {
    const stored = known.get(keyOf(entry));
    if (stored === undefined) unknown.push(entry);
    else fill(entry, stored);
  }
  if (unknown.length === 0) return;
  readUsage(sql, unknown);
  if (known.size + unknown.length > MOST_COPIES) known.clear();
  for (const entry of unknown) known.set(keyOf(entry), entry.stored);
}

function fill(entry: Entry, stored: Stored): void {
  entry.usage = stored.usage;
  entry.notices = stored.notices;
  entry.stored = stored;
}

function readUsage(sql: SqlStorage, entries: readonly Entry[]): void {
  const keys = entries.map((entry) => [entry.meter.id, entry.subject, entry.window.startMs]);
  inParts(keys, (json, from) => readSome(sql, entries, json, from));
}

function readSome(sql: SqlStorage, entries: readonly Entry[], json: string, from: number): void {
  const rows = sql.exec<UsageRow>(
    `SELECT k.key AS at, u.spent, u.over, u.held, u.leased, u.notices
     FROM json_each(?) AS k JOIN usage AS u
       ON u.meter_id = k.value ->> 0 AND u.subject = k.value ->> 1 AND u.window_start = k.value ->> 2`,
    json,
  );
  for (const row of rows) {
    const entry = entries[from + row.at];
    if (entry === undefined) continue;
    const usage = {
      spent: BigInt(row.spent),
      over: BigInt(row.over),
      held: BigInt(row.held),
      leased: BigInt(row.leased),
    };
    fill(entry, { usage, notices: row.notices });
  }
}

/** Writes the changed entries, each once. */
export function saveUsage(sql: SqlStorage, entries: Iterable<Entry>): void {
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
    entry.stored = { usage: entry.usage, notices: entry.notices };
    known.set(keyOf(entry), entry.stored);
  }
  if (changed.length > MOST_BOUND) {
    inParts(changed, (json) => sql.exec(upsertFrom(FROM_JSON), json));
  } else if (changed.length > 0) sql.exec(BOUND[changed.length] ?? "", ...changed.flat());
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

const FROM_JSON = `SELECT row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6, row ->> 7
  FROM ${jsonRows()} WHERE true`;

/** A few rows are written faster with bound values than from JSON, with one statement for each number of them. */
const MOST_BOUND = 10;
const BOUND = Array.from({ length: MOST_BOUND + 1 }, (_, rows) =>
  upsertFrom(`VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`),
);

function upsertFrom(rows: string): string {
  return `INSERT INTO usage (meter_id, subject, window_start, spent, over, held, leased, notices) ${rows}
    ON CONFLICT (meter_id, subject, window_start) DO UPDATE SET spent = excluded.spent, over = excluded.over,
      held = excluded.held, leased = excluded.leased, notices = excluded.notices`;
}
