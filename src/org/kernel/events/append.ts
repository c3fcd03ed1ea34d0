import type { EventKind } from "../../../contract/event-kinds.ts";
import { traceOnly } from "../../../domain/text/traceparent.ts";
import { newId } from "../../../domain/bytes/ulid.ts";
import type { View } from "../door.ts";
import { EVENTS } from "./log.ts";

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
  const ids = recordEvents(view, kind, all);
  view.hooks.queueEvents(view.sql, view.now, kind, { ids, data: all });
}

/** Appends events without queuing them. Returns their ids. */
export function recordEvents(
  { sql, now, parent }: Pick<View, "sql" | "now" | "parent">,
  kind: EventKind,
  all: readonly object[],
): readonly string[] {
  const trace = traceOnly(parent);
  const rows = all.map((data) => [null, newId("evt", now), kind, now, JSON.stringify(data), trace] as const);
  EVENTS.put(sql, rows);
  return rows.map(([, id]) => id);
}
