import { AppendOnlyLog } from "../../../storage/paged-table/append-only-log.ts";
import type { EventRow } from "./find.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    events: true;
  }
}

/** Every event. */
export const EVENTS = new AppendOnlyLog<EventRow>({
  name: "events",
  columns: ["seq", "id", "type", "created_at", "data", "parent"],
  named: "id",
  isNumbered: true,
  pages: "event_pages",
  time: "created_at",
});
