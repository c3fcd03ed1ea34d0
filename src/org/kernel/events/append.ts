import type { EventKind } from "../../../contract/event-kinds.ts";
import { newId } from "../../../domain/ulid.ts";
import { jsonRows } from "../json-rows.ts";
import { fanOut } from "../../webhooks/queue.ts";

/** The outbox: an event is there, and queued for those who asked for it, if and only if its cause is. */
export function appendEvent(sql: SqlStorage, now: number, kind: EventKind, data: object): void {
  fanOut(sql, now, kind, [recordEvent(sql, now, kind, data)]);
}

/** Many of one kind, in a statement for all of them and one for each subscription. */
export function appendEvents(sql: SqlStorage, now: number, kind: EventKind, all: readonly object[]): void {
  if (all.length === 0) return;
  const rows = all.map((data) => [newId("evt", now), JSON.stringify(data)] as const);
  sql.exec(
    `INSERT INTO events (id, type, created_at, data)
     SELECT row ->> 0, ?2, ?3, row ->> 1 FROM ${jsonRows("?1")}`,
    JSON.stringify(rows),
    kind,
    now,
  );
  fanOut(
    sql,
    now,
    kind,
    rows.map(([id]) => id),
  );
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
