import type { ListQuery } from "../../contract/list.ts";
import { type AuditLink, type ExportFormat, toAuditJson } from "../../domain/audit/export.ts";
import { command, done, query } from "../kernel/door.ts";
import { AUDIT } from "../kernel/audit/log.ts";
import { type AuditRow, linkReader } from "../kernel/audit/store.ts";
import { listLog } from "../../storage/paged-table/list-log.ts";

/** A read of the trail is itself an entry, which the next read shows. */
export const listAudit = command({
  action: null,
  refuses: [],
  run(tx, input: ListQuery) {
    const toLink = linkReader(tx);
    const log = AUDIT.stored(tx.sql);
    const page = listLog(
      {
        log,
        filters: {
          action: (row, action) => row.action === action,
          actor_id: (row, actor) => row.actor_id === actor,
          target: (row, target) => row.target === target,
          outcome: (row, outcome) => row.outcome === outcome,
          trace_id: (row, trace) => row.trace === trace,
          from: (row, from) => row.at >= Number(from),
          to: (row, to) => row.at < Number(to),
        },
        toItem: (row: AuditRow) => toAuditJson(toLink(row, log.row(row.seq - 1))),
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
    const log = AUDIT.stored(tx.sql);
    const { first: least, end } = log.range({ from, to });
    const isInRange = ({ at }: AuditRow) => at >= from && at < to;
    const first = firstOf(log.after(least - 1), isInRange, ({ seq }) => seq >= end);
    const last = firstOf(log.upTo(end - 1), isInRange, ({ seq }) => seq < least);
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

function firstOf(
  rows: Iterable<AuditRow>,
  isWanted: (row: AuditRow) => boolean,
  isOver: (row: AuditRow) => boolean,
): number | null {
  for (const row of rows) {
    if (isOver(row)) break;
    if (isWanted(row)) return row.seq;
  }
  return null;
}

export const AUDIT_PAGE = 2_000;
/** A page is sent from the object to the isolate in one piece, which the platform limits to 32 MiB. */
const PAGE_CHARACTERS = 8_000_000;

/** The next entries of an export. */
export const auditPage = query({
  refuses: [],
  run(view, input: { after: number; last: number }): { links: AuditLink[] } {
    const log = AUDIT.stored(view.sql);
    const toLink = linkReader(view);
    const links: AuditLink[] = [];
    let characters = 0;
    let previous = log.row(input.after);
    for (const row of log.after(input.after)) {
      characters += row.detail.length;
      if (row.seq > input.last || links.length === AUDIT_PAGE) break;
      if (links.length > 0 && characters > PAGE_CHARACTERS) break;
      links.push(toLink(row, previous?.seq === row.seq - 1 ? previous : null));
      previous = row;
    }
    return { links };
  },
});
