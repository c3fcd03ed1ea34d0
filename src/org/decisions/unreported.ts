import { madeAt, type ReservationIds } from "../../domain/reservation-id.ts";
import { ENDED_HOLD_KEPT_MS } from "../../domain/retention.ts";
import type { Clock } from "../rate-limits/meters.ts";
import type { HoldRow } from "./store.ts";

/**
 * Whether an id that is not stored may be of a hold that an isolate made and has not reported, or never will because it is
 * gone. An id that is made of a time is the hold of such an isolate as long as every hold of that age is stored; one that is
 * made of a request says no time, and is one while isolates have slices to make holds from.
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

/** Ids of an earlier version have no check; isolates of that version may be at work for a while after an upgrade. */
function isFromEarlier(sql: SqlStorage, { real }: Clock): boolean {
  return sql.exec("SELECT 1 FROM unchecked_ids WHERE until > ?", real).toArray().length > 0;
}

/** Of a hold that nobody has reported all that is known: its id, and from that mostly when it was made. */
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
    // Should an isolate report it after all, what it counted is given back as far as the run was counted for it.
    rates: "",
    tokens: 0,
    beside: null,
  };
}
