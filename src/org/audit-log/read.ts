import type { ListQuery } from "../../contract/list.ts";
import { type AuditLink, type ExportFormat, toAuditJson } from "../../domain/audit-export.ts";
import { command, done, query } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { inTime } from "../kernel/scan.ts";
import { AUDIT_COLUMNS, type AuditRow, linkReader } from "../kernel/audit/store.ts";

/** A read of the trail is itself an entry, which the next read shows. */
export const listAudit = command({
  action: null,
  refuses: [],
  run(tx, input: ListQuery) {
    const toLink = linkReader(tx);
    const page = listRows(
      tx.sql,
      {
        table: "audit",
        columns: AUDIT_COLUMNS,
        // Entries are written in chronological order.
        sort: { created_at: "seq" },
        log: { time: "at" },
        filters: {
          action: "action = ?",
          actor_id: "actor_id = ?",
          target: "target = ?",
          outcome: "outcome = ?",
          trace_id: "trace = ?",
          from: "at >= CAST(? AS INTEGER)",
          to: "at < CAST(? AS INTEGER)",
        },
        toItem: (row: AuditRow) => toAuditJson(toLink(row)),
      },
      input,
    );
    tx.record({ action: "audit.read", target: null, outcome: "read", detail: { filters: input.filters } });
    return done(200, page);
  },
});

/** Records an export in the trail and returns which entries it will contain: those of the window that exist now. */
export const beginAuditExport = command({
  action: null,
  refuses: [],
  run(tx, input: { from: number; to: number; format: ExportFormat }) {
    const { from, to } = input;
    const within = [
      ...inTime(tx.sql, { table: "audit", time: "at" }, { from, to }),
      { sql: "at >= ?", bindings: [from] },
      { sql: "at < ?", bindings: [to] },
    ];
    const end = (order: "ASC" | "DESC") =>
      tx.sql
        .exec<{ seq: number }>(
          `SELECT seq FROM audit WHERE ${within.map((one) => one.sql).join(" AND ")} ORDER BY seq ${order} LIMIT 1`,
          ...within.flatMap(({ bindings }) => bindings),
        )
        .toArray()[0]?.seq;
    const [first, last] = [end("ASC"), end("DESC")];
    tx.record({
      action: "audit.exported",
      target: null,
      outcome: "read",
      detail: {
        from: new Date(input.from).toISOString(),
        to: new Date(input.to).toISOString(),
        format: input.format,
      },
    });
    return done(200, { first: first ?? 1, last: last ?? 0 });
  },
});

export const AUDIT_PAGE = 2_000;
/** A page is sent from the object to the isolate in one piece, which the platform limits to 32 MiB. */
const PAGE_CHARACTERS = 8_000_000;

/** The next entries of an export. */
export const auditPage = query({
  refuses: [],
  run(view, input: { after: number; last: number }): { links: AuditLink[] } {
    const rows = view.sql.exec<AuditRow>(
      `SELECT ${AUDIT_COLUMNS} FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
      input.after,
      input.last,
      AUDIT_PAGE,
    );
    const toLink = linkReader(view);
    const links: AuditLink[] = [];
    let characters = 0;
    for (const row of rows) {
      characters += row.detail.length;
      if (links.length > 0 && characters > PAGE_CHARACTERS) break;
      links.push(toLink(row));
    }
    return { links };
  },
});
