import type { EventKind } from "../../../contract/event-kinds.ts";
import { timeOf } from "../../../domain/ulid.ts";
import { firstSince } from "../scan.ts";

export type EventRow = {
  seq: number;
  id: string;
  type: EventKind;
  created_at: number;
  data: string;
  parent: string | null;
};

/** Events of one moment: those of a batch, and of what comes with it. */
const NEAR = 5000;
const PREFIX = "evt_";

/** An id says when its event was appended, and events are in the order of their time unless the clock was set back. */
export function findEvent(sql: SqlStorage, id: string): EventRow {
  const log = { table: "events", time: "created_at" };
  const first = firstSince(sql, log, timeOf(id.slice(PREFIX.length)));
  const [near] = sql.exec<EventRow>(
    "SELECT * FROM events WHERE seq >= ? AND seq < ? AND id = ? LIMIT 1",
    first,
    first + NEAR,
    id,
  );
  return near ?? sql.exec<EventRow>("SELECT * FROM events WHERE id = ?", id).one();
}
