import { madeAt, type ReservationIds } from "../../domain/reservation-id.ts";
import { ENDED_HOLD_KEPT_MS } from "../../domain/retention.ts";
import type { Clock } from "../rate-limits/meters.ts";
import type { HoldRow } from "./store.ts";

/**
 * Whether an id that is not stored may belong to a hold that an isolate made and has not reported, or never will
 * because it is gone. An id that contains a time must be such a hold while every reported hold of that age is still
 * stored. An id that derives from a request has no time, and may be one while isolates have slices.
 */
export function mayBeUnreported(
  sql: SqlStorage,
  {
    ids,
    id,
    clock,
    areSlicesOut,
  }: {
    readonly ids: ReservationIds;
    readonly id: string;
    readonly clock: Clock;
    readonly areSlicesOut: boolean;
  },
): boolean {
  const origin = ids.originOf(id);
  if (origin === "time") return clock.org < madeAt(id) + ENDED_HOLD_KEPT_MS;
  return areSlicesOut && (origin === "request" || isFromEarlier(sql, clock));
}

/** Ids of an earlier version have no check. Isolates of that version may still run for a while after an upgrade. */
function isFromEarlier(sql: SqlStorage, { real }: Clock): boolean {
  return sql.exec("SELECT 1 FROM unchecked_ids WHERE until > ?", real).toArray().length > 0;
}

/** Everything that is known of an unreported hold: its id, and usually the time in it. */
export function unreportedHold(ids: ReservationIds, id: string, now: number): HoldRow {
  return {
    id,
    digest: "",
    status: "open",
    at: ids.originOf(id) === "time" ? madeAt(id) : now,
    expires_at: now,
    ended_at: null,
    amount: "0",
    meters: "",
    customer_id: null,
    verdict: "",
    unreported: 1,
    // If an isolate reports it later, its rate-limit counts are given back as far as the run was counted.
    rates: "",
    tokens: 0,
    beside: null,
  };
}
