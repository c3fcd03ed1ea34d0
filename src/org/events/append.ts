import type { EventKind } from "../../contract/event-kinds.ts";
import { newId } from "../../domain/ulid.ts";

/** The outbox: an event is there if, and only if, the change that caused it is. */
export function appendEvent(sql: SqlStorage, now: number, kind: EventKind, data: object): void {
  sql.exec(
    "INSERT INTO events (id, type, created_at, data) VALUES (?, ?, ?, ?)",
    newId("evt", now),
    kind,
    now,
    JSON.stringify(data),
  );
}
