import { env, runInDurableObject } from "cloudflare:test";
import { AUDIT } from "../../src/org/kernel/audit/log.ts";
import type { AuditRow } from "../../src/org/kernel/audit/store.ts";
import { EVENTS } from "../../src/org/kernel/events/log.ts";
import { type CheckpointedSql, transaction } from "../../src/storage/transaction.ts";
import type { Row } from "../../src/storage/table.ts";
import type { LogLayout } from "../../src/storage/paged-table/log-layout.ts";

/** A log as a table, for statements of tests. */
function rowsIn({ columns, pages }: LogLayout): string {
  const values = columns.map((column, at) => `e.value ->> ${at} AS ${column}`).join(", ");
  return `(SELECT ${values} FROM ${pages}, json_each(body) AS e)`;
}

export const AUDIT_ROWS = rowsIn(AUDIT.layout);
export const EVENT_ROWS = rowsIn(EVENTS.layout);

function inside<T>(orgId: string, use: (sql: CheckpointedSql) => T): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, { storage }) => transaction(storage, use));
}

/** Tampers with the entries of an org's audit trail. */
export function changeAudit(orgId: string, change: (rows: AuditRow[]) => AuditRow[]): Promise<void> {
  return inside(orgId, (sql) => {
    const { columns } = AUDIT.layout;
    const rows = change(AUDIT.stored(sql).some(0, 10_000)).toSorted((one, other) => one.seq - other.seq);
    sql.exec("DELETE FROM audit_pages");
    AUDIT.put(
      sql,
      rows.map((row) => columns.map((column) => row[column as keyof AuditRow])),
    );
  });
}

/** Adds rows to a log as the service does. */
export function addToLog(orgId: string, log: "audit" | "events", rows: readonly Row[]): Promise<void> {
  return inside(orgId, (sql) => (log === "audit" ? AUDIT : EVENTS).put(sql, rows));
}
