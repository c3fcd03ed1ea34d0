import type { Event } from "../../contract/resources/events.ts";
import { storedTraceParent, type TraceParent } from "../../domain/text/traceparent.ts";
import type { CheckpointedView } from "../kernel/door.ts";
import { findEvent } from "../kernel/events/find.ts";
import type { EventRow } from "../kernel/events/log.ts";

export function toEvent(orgId: string, row: EventRow): Event {
  return {
    id: row.id,
    type: row.type,
    created_at: new Date(row.created_at).toISOString(),
    org_id: orgId,
    data: JSON.parse(row.data) as Event["data"],
  };
}

/** The body of every delivery of an event, always the same text, and the trace that it belongs to. */
export function eventLetter(
  view: CheckpointedView,
  id: string,
): { body: string; parent: TraceParent | null } {
  const row = findEvent(view.sql, id);
  return { body: JSON.stringify(toEvent(view.orgId, row)), parent: storedTraceParent(row.parent) };
}

export function fullEvent(view: CheckpointedView, id: string): Event {
  return toEvent(view.orgId, findEvent(view.sql, id));
}
