import type { EventKind } from "../../contract/event-kinds.ts";
import { newId } from "../../domain/ulid.ts";
import { fanOut } from "../webhooks/queue.ts";

/** The outbox: an event is there, and queued for those who asked for it, if and only if its cause is. */
export function appendEvent(sql: SqlStorage, now: number, kind: EventKind, data: object): void {
  fanOut(sql, now, { id: recordEvent(sql, now, kind, data), type: kind });
}

/** An event that goes to nobody by itself. */
export function recordEvent(sql: SqlStorage, now: number, kind: EventKind, data: object): string {
  const id = newId("evt", now);
  sql.exec(
    "INSERT INTO events (id, type, created_at, data) VALUES (?, ?, ?, ?)",
    id,
    kind,
    now,
    JSON.stringify(data),
  );
  return id;
}
