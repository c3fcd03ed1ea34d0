import { madeAt, type ReservationIds } from "../../domain/reservation-id.ts";
import { ENDED_HOLD_KEPT_MS } from "../../domain/retention.ts";
import type { Clock } from "../rate-limits/meters.ts";
import type { HoldRow } from "./store.ts";

/**
 * Whether an id that is not stored may be of a hold that an isolate made and has not reported, or never will because it is
 * gone. It is one as long as every hold of its age is stored; after that it may have ended, and been forgotten. Ids of earlier
 * versions say less, and are taken only while isolates have slices to make holds from.
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
  const origin = ids.originOf(id, clock.org);
  if (origin === "time") return clock.org < madeAt(id) + ENDED_HOLD_KEPT_MS;
  if (origin === "request") return true;
  return areSlicesOut && isFromEarlier(sql, EARLIER[origin ?? "unchecked"], clock);
}

/** Ids of earlier versions, whose isolates may be at work for a while after an upgrade. */
const EARLIER = { unchecked: "unchecked_ids", undated: "undated_ids" } as const;

function isFromEarlier(sql: SqlStorage, table: string, { real }: Clock): boolean {
  return sql.exec(`SELECT 1 FROM ${table} WHERE until > ?`, real).toArray().length > 0;
}

/** Everything that is known of an unreported hold: its id, and usually the time in it. */
export function unreportedHold(ids: ReservationIds, id: string, now: number): HoldRow {
  return {
    id,
    digest: "",
    status: "open",
    at: ids.originOf(id, now) === "time" ? madeAt(id) : now,
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
    asked: null,
    key_id: null,
  };
}
