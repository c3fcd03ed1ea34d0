import { Log } from "../log/log.ts";
import type { EventRow } from "./find.ts";

/** Every event. */
export const EVENTS = new Log<EventRow>({
  name: "events",
  columns: ["seq", "id", "type", "created_at", "data", "parent"],
  named: "id",
  isNumbered: true,
  pages: "event_pages",
  time: "created_at",
});
