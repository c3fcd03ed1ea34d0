import type { EventKind } from "../../../contract/event-kinds.ts";
import { AppendOnlyLog } from "../../../storage/paged-table/append-only-log.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    events: true;
  }
}

export type EventRow = {
  seq: number;
  id: string;
  type: EventKind;
  created_at: number;
  data: string;
  /** The trace of the request that caused it. */
  parent: string | null;
};

/** Every event. */
export const EVENTS = new AppendOnlyLog<EventRow>({
  name: "events",
  columns: ["seq", "id", "type", "created_at", "data", "parent"],
  named: "id",
  isNumbered: true,
  pages: "event_pages",
  time: "created_at",
});
