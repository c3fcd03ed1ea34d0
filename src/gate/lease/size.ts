/**
 * How large a slice may be. All slices of a meter together take at most a 64th of its limit, so that never
 * more than 1.6 % of it waits in isolates while another is refused; and at most a quarter of the room that is
 * left, so that slices shrink as the limit comes near. Isolates share that evenly. A slice that could not
 * carry a few calls is not given at all: from there on each call asks the object, and the tail is exact.
 */
const SHARE_OF_LIMIT = 64n;
const SHARE_OF_ROOM = 4n;
const CALLS_WORTH_LEASING = 4n;

export interface Sizing {
  readonly limit: bigint;
  readonly used: bigint;
  /** All slices of this meter, the asking isolate's own included. */
  readonly leased: bigint;
  readonly left: bigint;
  readonly holders: number;
  readonly want: bigint;
  readonly least: bigint;
}

/** What one isolate may hold of a meter. */
export function shareOf({ limit, used, holders }: Pick<Sizing, "limit" | "used" | "holders">): bigint {
  const room = limit - used;
  if (room <= 0n) return 0n;
  return smaller(limit / SHARE_OF_LIMIT, room / SHARE_OF_ROOM) / BigInt(Math.max(1, holders));
}

/** What to add to a slice now. */
export function additionTo(sizing: Sizing): bigint {
  const { limit, used, leased, left, holders, want, least } = sizing;
  const share = shareOf(sizing);
  const untaken = share * BigInt(Math.max(1, holders)) - leased;
  const size = smaller(smaller(share, want), left + smaller(untaken, limit - used - leased));
  if (size <= left || size < least * CALLS_WORTH_LEASING) return 0n;
  return size - left;
}

export function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
