import { runInDurableObject } from "cloudflare:test";
import { keyHashOf } from "../../src/storage/key-index/key-hash.ts";
import { AppendOnlyLog } from "../../src/storage/paged-table/append-only-log.ts";
import { PagedTable } from "../../src/storage/paged-table/paged-table.ts";
import { WAL_STEPS } from "../../src/storage/schema.ts";
import { type Row, Table } from "../../src/storage/table.ts";
import { savepoint, transaction, walTransaction } from "../../src/storage/transaction.ts";
import { env } from "../support/worker.ts";

declare module "../../src/storage/table.ts" {
  interface LoggedTables {
    model_plain: true;
    model_carried: true;
    model_keyed: true;
    model_log: true;
  }
}

/** Every key of rows that are found by their names. */
export const KEYS = Array.from({ length: 12 }, (_, at) => `key-${at}`);

/** One table of each kind, in an object that has nothing else. */
export const NAMES = ["model_plain", "model_carried", "model_keyed", "model_log"] as const;

const SHAPE = { columns: ["key", "value"], key: ["key"], named: ["key"], changing: ["value"] } as const;
const hashOf = (key: string) => keyHashOf(key, [1, 2]);

/** Of a page. */
export const MOST_ROWS = 64;

const LOG_LAYOUT = {
  name: "model_log",
  columns: ["seq", "value", "at"],
  named: "value",
  isNumbered: true,
  pages: "model_log_pages",
  time: "at",
} as const;

/** Made when the tests begin: every object of the process knows the tables that are declared. */
export function declareTables() {
  return {
    plain: new Table({ ...SHAPE, name: "model_plain" }),
    carried: new Table({ ...SHAPE, name: "model_carried", isCarried: true }),
    keyed: new PagedTable(
      {
        name: "model_keyed",
        columns: ["seq", "key", "value"],
        key: ["seq"],
        named: ["key"],
        changing: ["value"],
        isNumbered: true,
      },
      {
        table: "model_keyed_pages",
        summary: ["n"],
        summarize: (rows) => [rows.length],
        key: {
          index: { name: "model_keyed" },
          hashOf: ([, key]) => hashOf(String(key)),
          mostRows: MOST_ROWS,
        },
      },
    ),
    log: new AppendOnlyLog<{ seq: number; value: string; at: number }>(LOG_LAYOUT),
  };
}

type Tables = ReturnType<typeof declareTables>;

const ROWS = "(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT";
const SCHEMA = `
  CREATE TABLE model_plain ${ROWS};
  CREATE TABLE model_carried ${ROWS};
  CREATE TABLE model_log_pages (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE model_keyed_pages (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE model_keyed_segments (segment INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL, state TEXT NOT NULL, step INTEGER NOT NULL) STRICT;
  CREATE TABLE model_keyed_blocks (place INTEGER PRIMARY KEY, filter BLOB NOT NULL, entries BLOB NOT NULL) STRICT;
  CREATE TABLE model_keyed_block_parts (place INTEGER NOT NULL, part INTEGER NOT NULL, entries BLOB NOT NULL,
    PRIMARY KEY (place, part)) STRICT, WITHOUT ROWID`;

/** The name of a new object with these tables. */
export async function newEngine(): Promise<string> {
  const name = `model-${crypto.randomUUID()}`;
  await runInDurableObject(env.ORG.getByName(name), (_object, { storage }) =>
    storage.transactionSync(() => {
      for (const sql of Object.values(WAL_STEPS)) storage.sql.exec(sql);
      storage.sql.exec(SCHEMA);
    }),
  );
  return name;
}

/** What one transaction does. A value that is null deletes. */
export type Change =
  | { readonly table: "plain" | "carried" | "keyed"; readonly key: string; readonly value: string | null }
  | { readonly table: "log"; readonly value: string };

export interface Transaction {
  readonly usesWal: boolean;
  readonly changes: readonly Change[];
  /** So many of the changes, the last ones, are undone by themselves. */
  readonly undone: number;
  /** All of them are. */
  readonly fails: boolean;
}

/** What the engine has, as plain maps. */
export interface State {
  readonly plain: ReadonlyMap<string, string>;
  readonly carried: ReadonlyMap<string, string>;
  readonly keyed: ReadonlyMap<string, string>;
  readonly log: readonly string[];
}

export const EMPTY: State = { plain: new Map(), carried: new Map(), keyed: new Map(), log: [] };

export function after(state: State, { changes, undone, fails }: Transaction): State {
  if (fails) return state;
  const [plain, carried, keyed] = [new Map(state.plain), new Map(state.carried), new Map(state.keyed)];
  const log = [...state.log];
  const maps = { plain, carried, keyed };
  for (const change of changes.slice(0, changes.length - undone)) {
    if (change.table === "log") log.push(change.value);
    else if (change.value === null) maps[change.table].delete(change.key);
    else maps[change.table].set(change.key, change.value);
  }
  return { plain, carried, keyed, log };
}

class Undone extends Error {}

export function perform(storage: DurableObjectStorage, tables: Tables, all: Transaction): void {
  const { sql } = storage;
  const open = all.usesWal ? walTransaction : transaction;
  const kept = all.changes.length - all.undone;
  try {
    open(storage, () => {
      for (const change of all.changes.slice(0, kept)) apply(sql, tables, change);
      ignoringUndone(() =>
        savepoint(storage, () => {
          for (const change of all.changes.slice(kept)) apply(sql, tables, change);
          throw new Undone();
        }),
      );
      if (all.fails) throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

function ignoringUndone(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

function apply(sql: SqlStorage, tables: Tables, change: Change): void {
  if (change.table === "log") {
    tables.log.put(sql, [[null, change.value, 0]]);
    return;
  }
  const { table, key, value } = change;
  if (table === "keyed") {
    const [seq = null, , was = ""] = keyedRows(sql, tables, [key]).get(key) ?? [];
    if (value !== null) tables.keyed.put(sql, [[seq, key, value]]);
    else if (seq !== null) tables.keyed.delete(sql, [[seq, key, was]]);
  } else if (value === null) tables[table].delete(sql, [[key, ""]]);
  else tables[table].put(sql, [[key, value]]);
}

/** As memory has them, and else as they are stored. */
function keyedRows(sql: SqlStorage, { keyed }: Tables, keys: readonly string[]): Map<string, Row> {
  const hashes = new Set(keys.map(hashOf));
  const found = new Map<string, Row>();
  for (const row of keyed.pages(sql).find(hashes)) {
    if (keyed.get(sql, String(row[1])) === undefined) found.set(String(row[1]), row);
  }
  for (const row of keyed.withKeyHashes(sql, hashes)) found.set(String(row[1]), row);
  return found;
}

/** Everything that the engine says it has, without a checkpoint. */
export function read(sql: SqlStorage, tables: Tables, keys: readonly string[]): State {
  const byName = (table: "plain" | "carried") => {
    const found = new Map<string, string>();
    for (const key of KEYS) {
      const row = tables[table].get(sql, key);
      const [stored] = sql
        .exec<{ value: string }>(`SELECT value FROM model_${table} WHERE key = ?`, key)
        .toArray();
      const value = row === undefined ? stored?.value : row?.[1];
      if (value !== undefined) found.set(key, String(value));
    }
    return found;
  };
  const keyed = [...keyedRows(sql, tables, keys)].map(([key, row]) => [key, String(row[2])] as const);
  const log = [...tables.log.pages(sql).rowsAfter(0), ...tables.log.changed(sql)];
  const seqs = log.map(([seq]) => Number(seq));
  if (seqs.some((seq, at) => seq <= (seqs[at - 1] ?? 0)))
    throw new Error(`numbers come twice: ${seqs.join()}`);
  return {
    plain: byName("plain"),
    carried: byName("carried"),
    keyed: new Map(keyed),
    log: log.map(([, value]) => String(value)),
  };
}
