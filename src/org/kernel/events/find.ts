import type { CheckpointedSql } from "../../../storage/transaction.ts";
import { timeOf } from "../../../domain/bytes/ulid.ts";
import { type EventRow, EVENTS } from "./log.ts";

/** Events of one moment: those of a batch, and of what comes with it. */
const NEAR = 5000;
const PREFIX = "evt_";

/** An id says when its event was appended, and events are in the order of their time unless the clock was set back. */
export function findEvent(sql: CheckpointedSql, id: string): EventRow {
  const log = EVENTS.stored(sql);
  const first = log.firstSince(timeOf(id.slice(PREFIX.length)));
  for (const row of log.after(first - 1)) {
    if (row.seq >= first + NEAR) break;
    if (row.id === id) return row;
  }
  for (const row of log.with("id", id)) return row;
  throw new Error(`there is no event ${id}`);
}
