import { AppendOnlyLog } from "../../../storage/paged-table/append-only-log.ts";
import type { AuditRow } from "./store.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    audit: true;
  }
}

/** Every entry of the audit trail. */
export const AUDIT = new AppendOnlyLog<AuditRow>({
  name: "audit",
  columns: [
    "seq",
    "id",
    "at",
    "action",
    "actor_kind",
    "actor_id",
    "on_behalf_of",
    "target",
    "outcome",
    "trace",
    "address",
    "detail",
    "hash",
  ],
  named: "seq",
  pages: "audit_pages",
  time: "at",
});
