import type { Call } from "../call.ts";
import { gates } from "./gates.ts";

/** A field name may be written with escapes. */
const NAMES_RESERVATION = /reservation_id|\\u/;

/**
 * After a call that may have ended reservations or given something back, here or in another region, the caller's next
 * decision through this isolate must find the room that it left. Most runs end none, and leave refusals to the isolate.
 */
export function heedFreed({ op, orgId, rawBody }: Pick<Call, "op" | "orgId" | "rawBody">): void {
  if (orgId === null) return;
  if (op.givesBack === true) gates.freed(orgId, Date.now());
  if (op.endsReservations !== true) return;
  const wasRead = op.body !== undefined && rawBody !== "";
  if (!wasRead || NAMES_RESERVATION.test(rawBody)) gates.freed(orgId, Date.now());
}
