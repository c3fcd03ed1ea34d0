import { LEASE, type SliceWish } from "./protocol.ts";

/**
 * The isolate's part of one meter. Amounts are plain numbers, because thousands of calls a second take from them. No
 * call takes more than a number holds exactly, and a slice that was granted more uses only that much.
 */
export interface Slice {
  readonly meter: string;
  left: number;
  until: number;
  /** The most that this isolate may keep, as the object last said. */
  share: number;
  /** Its content after the last grant. */
  full: number;
  /** Held from this slice since the last ask, and what calls would have held if it had been large enough. */
  used: number;
  /** The part of what is used that is already in a batch. */
  batched: number;
  missed: number;
  misses: number;
  /** The amount that an interval between asks takes. It decays when traffic falls. */
  rate: number;
  /** The largest recent call. */
  least: number;
  /** When an ask last found that calls had taken from it, or would have. */
  usedAt: number;
  /** An ask without an answer named it, so the object may have added what this isolate does not know of. */
  isUnsure: boolean;
  /** The object did not renew it. It goes back when it ends. */
  hasLapsed: boolean;
  /** How many kinds of calls take from it, as far as they are known. */
  users: number;
  /** Nobody takes from it any more, and there are too many others to keep it. */
  isDropped: boolean;
}

/** A quarter of what a number holds exactly, so that sums of a few are exact too. */
export const MOST_IN_SLICE = 2 ** 51;
export const UNUSED = { used: 0, batched: 0, missed: 0, misses: 0, rate: 0, least: 0 };

/** A slice is sized for this many intervals, so that one late or lost ask does not empty it. */
const INTERVALS_AHEAD = 4;
/** And for so many of its largest calls, however seldom they come. */
const CALLS_KEPT = 8;

export function newSlice(meter: string): Slice {
  const flags = { isUnsure: false, hasLapsed: false, isDropped: false };
  return { meter, left: 0, until: 0, share: 0, full: 0, ...UNUSED, usedAt: 0, users: 0, ...flags };
}

/**
 * Returns what an ask says about a slice, and what the slice keeps meanwhile. Null if it need not be named. Starts the
 * next interval. A slice is topped up when it is half used and cut when it is twice too large, so that most asks name
 * few slices. It goes back if no call took from it for `keptMs`.
 */
export function wantOf(slice: Slice, now: number, keptMs: number): SliceWish | null {
  const taken = slice.used + slice.missed;
  const want = demand(slice, now, keptMs);
  const before = slice.left;
  // A slice that could not be renewed for long may be gone from the object's ledger.
  if (now >= slice.until + (slice.hasLapsed ? 0 : LEASE.idleMs)) slice.left = 0;
  if (slice.left > 2 * want) slice.left = want;
  slice.left = Math.min(slice.left, slice.share);
  // Half used is counted from here: what has gone back, or is not topped up, would be asked for again at each call.
  slice.full = slice.left;
  const isShort = taken > 0 && slice.left * 2 < want;
  if (!isShort && !slice.isUnsure && slice.left === before) return null;
  return { left: BigInt(slice.left), want: BigInt(want), least: BigInt(slice.least) };
}

/** Returns what a slice should hold, from what the last interval took. */
function demand(slice: Slice, now: number, keptMs: number): number {
  const taken = slice.used + slice.missed;
  if (taken > 0 || slice.misses > 0) slice.usedAt = now;
  if (slice.isDropped || now >= slice.usedAt + keptMs) return nothing(slice);
  slice.rate = taken > slice.rate ? taken : Math.floor((slice.rate + taken) / 2);
  startInterval(slice);
  return Math.min(MOST_IN_SLICE, Math.max(slice.rate * INTERVALS_AHEAD, slice.least * CALLS_KEPT));
}

function nothing(slice: Slice): number {
  startInterval(slice);
  slice.rate = 0;
  slice.least = 0;
  return 0;
}

function startInterval(slice: Slice): void {
  slice.used = 0;
  slice.batched = 0;
  slice.missed = 0;
  slice.misses = 0;
}
