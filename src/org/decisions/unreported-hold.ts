import { reservationTime, type ReservationIds } from "../../domain/reservation/reservation-id.ts";
import { ENDED_HOLD_KEPT_MS } from "../../domain/run/retention.ts";
import { type HoldRow, PLAIN_HOLD } from "./table.ts";

/**
 * Returns whether an id that is not stored may be of a hold that an isolate made and has not reported, or never will
 * because it is gone. It is one as long as every hold of its age is stored; after that it may have ended, and been
 * forgotten.
 */
export function mayBeUnreported(ids: ReservationIds, id: string, now: number): boolean {
  const origin = ids.originOf(id, now);
  return origin === "request" || (origin !== null && now < reservationTime(id) + ENDED_HOLD_KEPT_MS);
}

/** Far longer than an isolate that lives keeps a hold to itself. */
const REPORTED_WITHIN_MS = 60_000;

/**
 * Returns whether what was reserved under an id is still to be reported. A gate outside has ids before it reserves
 * anything, so nothing else is believed of its ids. An isolate may be gone; when an id of a request was made is not known.
 */
export function isAwaited(ids: ReservationIds, id: string, now: number): boolean {
  const origin = ids.originOf(id, now);
  return origin === "gate" || (origin === "time" && now < reservationTime(id) + REPORTED_WITHIN_MS);
}

/** Returns whether an id was given to a gate outside, which has ids before it makes reservations. */
export function isGivenToGate(ids: ReservationIds, id: string, now: number): boolean {
  return ids.originOf(id, now) === "gate";
}

/** Everything that is known of an unreported hold: its id, and usually the time in it. */
export function unreportedHold(ids: ReservationIds, id: string, now: number): HoldRow {
  return {
    // If an isolate reports it later, its rate-limit counts are given back as far as the run was counted.
    ...PLAIN_HOLD,
    id,
    at: ids.originOf(id, now) === "request" ? now : reservationTime(id),
    expires_at: now,
    amount: "0",
    meters: "",
    customer_id: null,
    unreported: 1,
  };
}
