import type { EventKind } from "../../../contract/event-kinds.ts";
import { newId } from "../../../domain/ulid.ts";
import type { View } from "../door.ts";
import { inParts, jsonRows } from "../json-rows.ts";

/**
 * The outbox: events exist, and are queued for subscriptions, if and only if their cause happened. Many events of one
 * kind take one statement, plus one for each subscription.
 */
export function appendEvents(
  { sql, now, hooks }: Pick<View, "sql" | "now" | "hooks">,
  kind: EventKind,
  all: readonly object[],
): void {
  if (all.length === 0) return;
  hooks.queueEvents(sql, now, kind, recordEvents(sql, now, kind, all));
}

/** Appends events without queuing them. Returns their ids. */
export function recordEvents(
  sql: SqlStorage,
  now: number,
  kind: EventKind,
  all: readonly object[],
): readonly string[] {
  const rows = all.map((data) => [newId("evt", now), JSON.stringify(data)] as const);
  inParts(rows, (json) =>
    sql.exec(
      `INSERT INTO events (id, type, created_at, data)
       SELECT row ->> 0, ?2, ?3, row ->> 1 FROM ${jsonRows("?1")}`,
      json,
      kind,
      now,
    ),
  );
  return rows.map(([id]) => id);
}
