import { reservationTime as givenAt } from "../../domain/reservation/reservation-id.ts";
import { LEASE } from "../../gate/lease/protocol.ts";
import {
  endsAt,
  idOf,
  holdTime,
  type HoldLine,
  timeText,
  withEnd,
  withMadeAt,
} from "../../gate/report/hold-line.ts";

/**
 * A hold of a gate outside, at the time nearest to what the gate says at which it can have been made: its id and its slices
 * were there, and it is not in the future. Null if it cannot have been made at all.
 */
export function timedHold(
  line: HoldLine,
  { orgNow, slicesSince }: { readonly orgNow: number; readonly slicesSince: number },
): HoldLine | null {
  const saidAt = Number(holdTime(line));
  const saidEnd = Number(endsAt(line));
  const given = givenAt(idOf(line));
  const lastsMs = saidEnd - saidAt;
  if (lastsMs <= 0 || lastsMs > LEASE.longestHoldMs || saidEnd <= given) return null;
  // One that is older has ended, and so has every slice that it can have been made from.
  const longestAgo = orgNow - LEASE.lifeMs - LEASE.longestHoldMs;
  const at = Math.min(orgNow, Math.max(saidAt, given, slicesSince, longestAgo));
  const end = Math.min(at + LEASE.longestHoldMs, Math.max(at, saidEnd));
  if (at === saidAt && end === saidEnd) return line;
  return withEnd(withMadeAt(line, timeText(at)), timeText(end));
}
