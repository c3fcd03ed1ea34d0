/**
 * How large a slice may be. All slices in use together take at most a 64th of a meter's limit, so that never
 * more than 1.6 % of it waits in isolates while another is refused; and at most a quarter of the room that is
 * left, so that slices shrink as the limit comes near. Isolates share that evenly. A slice that could not
 * carry a few calls is not given at all: from there on each call asks the object, and the tail is exact.
 *
 * Slices that ended without a report are no part of that share, or an isolate that died would keep its org from
 * leasing until they come back. They take away room like everything that is used, and where they have come to
 * an eighth of the limit nothing more is leased: isolates that die one after another strand no more than that.
 */
const SHARE_OF_LIMIT = 64n;
const SHARE_OF_ROOM = 4n;
const SHARE_OF_ORPHANS = 8n;
const CALLS_WORTH_LEASING = 4n;

export interface SliceSizing {
  readonly limit: bigint;
  readonly used: bigint;
  /** All slices of this meter in use, including the asking isolate's own. */
  readonly live: bigint;
  /** All that ended without a report and may have been used. */
  readonly orphaned: bigint;
  readonly left: bigint;
  readonly holders: number;
  readonly want: bigint;
  readonly least: bigint;
}

/** Returns what one isolate may hold of a meter. */
export function shareOf({
  limit,
  used,
  orphaned,
  holders,
}: Pick<SliceSizing, "limit" | "used" | "orphaned" | "holders">): bigint {
  const room = limit - used - orphaned;
  if (room <= 0n || orphaned * SHARE_OF_ORPHANS > limit) return 0n;
  return minBigint(limit / SHARE_OF_LIMIT, room / SHARE_OF_ROOM) / BigInt(Math.max(1, holders));
}

/** Returns what to add to a slice now. */
export function additionTo(sizing: SliceSizing): bigint {
  const { live, left, holders, want, least } = sizing;
  const share = shareOf(sizing);
  // As a part of the room it is never more than the room.
  const untaken = share * BigInt(Math.max(1, holders)) - live;
  const size = minBigint(minBigint(share, want), left + untaken);
  if (size <= left || size < least * CALLS_WORTH_LEASING) return 0n;
  return size - left;
}

/** Returns whether slices have become more than a part of the room, so that they are to be given back. */
export function isTooMuch(leased: bigint, room: bigint): boolean {
  return leased * SHARE_OF_ROOM > room;
}

export function minBigint(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
