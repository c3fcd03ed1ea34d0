import { beforeAll, expect, test } from "vitest";
import { complaintsAbout, ROOT } from "../support/compiled.ts";

/** Code that makes a checkpoint where it needs one, or does not, and the compiler's result for each. One compiler run for all. */
const PLANTED = {
  "kept-query": `query({ refuses: [], run: (view) => rowsOf(view.sql) });`,
  "kept-command": `command({ ...WRITE, run: (tx) => done(200, rowsOf(tx.sql)) });`,
  "kept-frequent-command": `command({ ...WRITE, usesWal: true, run: (tx) => done(200, rowsOf(checkpoint(tx.sql))) });`,
  "kept-due-work": `({ kind: "change", run: (tx) => void rowsOf(tx.sql) }) satisfies DueHandler;`,
  "kept-transaction": `transaction(storage, (sql) => rowsOf(sql));`,
  "kept-list": `listRows(checkpoint(sql), { ...SOURCE, table: USAGE.in(checkpoint(sql)) }, LIST);`,
  "kept-list-of-another": `listRows(sql, { ...SOURCE, table: "webhooks" }, LIST);`,
  "kept-query-of-a-list": `readList(() => ({ ...SOURCE, table: "webhooks" }));`,
  "kept-rows": `saveRow(sql, "webhooks", { rows: countRows(sql, "webhooks") });`,
  "kept-table": `new Table({ ...SHAPE, name: "usage" });`,

  "frequent-command": `command({ ...WRITE, usesWal: true, run: (tx) => done(200, rowsOf(tx.sql)) });`,
  "frequent-command-that-says-otherwise": `command({ ...WRITE, usesWal: true, run: (tx: CheckpointedTx) => done(200, rowsOf(tx.sql)) });`,
  "frequent-transaction": `walTransaction(storage, () => rowsOf(storage.sql));`,
  "part-of-a-transaction": `savepoint(storage, () => rowsOf(storage.sql));`,
  "work-of-the-outside": `({ kind: "work", run: async ({ view }) => void rowsOf(view().sql) }) satisfies DueHandler;`,
  "any-storage": `rowsOf(storage.sql);`,
  "the-name-of-a-table": `USAGE.in(storage.sql);`,
  "the-name-of-its-pages": `HOLDS.pagesIn(storage.sql);`,
  "a-log": `AUDIT.stored(storage.sql);`,
  "list-of-a-log": `listRows(checkpoint(sql), { ...SOURCE, table: "audit" }, LIST);`,
  "list-of-a-table": `listRows(checkpoint(sql), { ...SOURCE, table: "usage" }, LIST);`,
  "query-of-a-list": `readList(() => ({ ...SOURCE, table: "usage" }));`,
  "row-that-is-added": `insertRow(sql, "usage", {});`,
  "row-that-is-saved": `saveRow(sql, "usage", {});`,
  "number-of-rows": `countRows(sql, "usage");`,
  "table-that-no-noun-declares": `new Table({ ...SHAPE, name: "webhooks" });`,
} as const;

const PREAMBLE = `
import type { ListQuery } from "${ROOT}/src/contract/list.ts";
import { HOLDS } from "${ROOT}/src/org/decisions/table.ts";
import { AUDIT } from "${ROOT}/src/org/kernel/audit/log.ts";
import { type CheckpointedTx, command, done, query } from "${ROOT}/src/org/kernel/door.ts";
import type { DueHandler } from "${ROOT}/src/org/kernel/due/handler.ts";
import { USAGE } from "${ROOT}/src/org/meters/usage.ts";
import { readList } from "${ROOT}/src/org/kernel/resource.ts";
import { listRows } from "${ROOT}/src/storage/list-rows.ts";
import { countRows, insertRow, saveRow } from "${ROOT}/src/storage/rows.ts";
import { Table } from "${ROOT}/src/storage/table.ts";
import { checkpoint, type CheckpointedSql, savepoint, transaction, walTransaction } from "${ROOT}/src/storage/transaction.ts";

declare const sql: SqlStorage;
declare const storage: DurableObjectStorage;
declare const LIST: ListQuery;
const WRITE = { action: null, refuses: [] } as const;
const SOURCE = { sort: { at: "at" }, toItem: (row: { id: string }) => row };
const SHAPE = { columns: [], key: [], named: [], changing: [] };
const rowsOf = (tables: CheckpointedSql) => ({ rows: tables.exec(\`SELECT * FROM \${USAGE.in(tables)}\`).toArray() });
export const used = [AUDIT, checkpoint, command, countRows, done, HOLDS, insertRow, LIST, listRows, query, readList, rowsOf, savepoint, saveRow, SHAPE, SOURCE, sql, storage, Table, transaction, walTransaction, WRITE];
export type Used = [CheckpointedTx, DueHandler];
`;

let about: (name: string) => string[];

beforeAll(async () => {
  about = await complaintsAbout("checkpoints", PLANTED, PREAMBLE);
});

test.each(Object.keys(PLANTED).filter((name) => name.startsWith("kept")))("%s compiles", (name) => {
  expect(about(name)).toEqual([]);
});

test.each(Object.keys(PLANTED).filter((name) => !name.startsWith("kept")))("%s does not compile", (name) => {
  expect(about(name)).toEqual([expect.stringMatching(/error TS2(322|345):/)]);
});
