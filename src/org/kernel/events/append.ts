import type { EventKind } from "../../../contract/event-kinds.ts";
import { newId } from "../../../domain/ulid.ts";
import type { View } from "../door.ts";
import { inParts, jsonRows } from "../json-rows.ts";

/**
 * The outbox: events exist, and are queued for subscriptions, if and only if their cause happened. Many events of one
 * kind take one statement, plus one for each subscription.
 */
export function appendEvents(
  view: Pick<View, "sql" | "now" | "hooks" | "parent">,
  kind: EventKind,
  all: readonly object[],
): void {
  if (all.length === 0) return;
  view.hooks.queueEvents(view.sql, view.now, kind, recordEvents(view, kind, all));
}

/** Appends events without queuing them. Returns their ids. */
export function recordEvents(
  { sql, now, parent }: Pick<View, "sql" | "now" | "parent">,
  kind: EventKind,
  all: readonly object[],
): readonly string[] {
  const rows = all.map((data) => [newId("evt", now), JSON.stringify(data)] as const);
  inParts(rows, (json) =>
    sql.exec(
      `INSERT INTO events (id, type, created_at, data, parent)
       SELECT row ->> 0, ?2, ?3, row ->> 1, ?4 FROM ${jsonRows("?1")}`,
      json,
      kind,
      now,
      parent,
    ),
  );
  return rows.map(([id]) => id);
}
