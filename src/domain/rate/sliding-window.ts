/**
 * Rate windows. A sliding window is divided into buckets, and a bucket counts in full while any part of it is inside.
 * So no interval of the window's length admits more than the limit. The error is at most one bucket, less than one
 * percent of the window.
 */
const BUCKETS = 120;

export interface SlidingWindow {
  readonly windowMs: number;
  readonly bucketMs: number;
}

/** The amount that was taken in one bucket: `[bucket number, amount]`. Lists have the oldest first. */
export type BucketAmount = readonly [bucket: number, amount: number];

export function slidingWindow(windowSeconds: number): SlidingWindow {
  const windowMs = windowSeconds * 1000;
  return { windowMs, bucketMs: Math.max(1, Math.ceil(windowMs / BUCKETS)) };
}

export function bucketAt(window: SlidingWindow, atMs: number): number {
  return Math.floor(atMs / window.bucketMs);
}

/** The oldest bucket that is still partly inside the window that ends now. */
function oldestBucket(window: SlidingWindow, nowMs: number): number {
  return Math.floor((nowMs - window.windowMs) / window.bucketMs);
}

/**
 * Returns what counts against the limit now. Future buckets count too: a lease is entered at its end, the latest time
 * it may be used.
 */
export function usageInWindow(window: SlidingWindow, taken: readonly BucketAmount[], nowMs: number): number {
  const oldest = oldestBucket(window, nowMs);
  let used = 0;
  for (const [bucket, amount] of taken) if (bucket >= oldest) used += amount;
  return used;
}

/** Adds an amount and drops buckets that have left the window. A negative amount is a return. */
export function takeFromWindow(
  window: SlidingWindow,
  taken: readonly BucketAmount[],
  { amount, atMs, nowMs }: { readonly amount: number; readonly atMs: number; readonly nowMs: number },
): BucketAmount[] {
  const oldest = oldestBucket(window, nowMs);
  const bucket = bucketAt(window, atMs);
  const kept = taken.filter(([number]) => number >= oldest && number !== bucket);
  const before = taken.find(([number]) => number === bucket)?.[1] ?? 0;
  if (before + amount > 0) kept.push([bucket, before + amount]);
  return kept.sort((left, right) => left[0] - right[0]);
}

/**
 * How long until `amount` fits, if no one else takes anything: when enough of the oldest buckets have left the window.
 * Null if the amount is above the limit and never fits.
 */
export function waitMs(
  window: SlidingWindow,
  taken: readonly BucketAmount[],
  { limit, amount, nowMs }: { readonly limit: number; readonly amount: number; readonly nowMs: number },
): number | null {
  if (amount > limit) return null;
  let over = usageInWindow(window, taken, nowMs) + amount - limit;
  if (over <= 0) return 0;
  const oldest = oldestBucket(window, nowMs);
  for (const [bucket, held] of taken) {
    if (bucket < oldest) continue;
    over -= held;
    if (over <= 0) return (bucket + 1) * window.bucketMs + window.windowMs - nowMs;
  }
  return 0;
}

/** How much room there will be after how long, if nobody else takes anything. */
export interface RoomAhead {
  readonly room: number;
  readonly inMs: number;
}

const MOST_AHEAD = 16;

/**
 * The room that comes as buckets leave the window, up to all of it. Where they are many, some are left out: a wait read from
 * this may be too long by a few buckets, and is never too short.
 */
export function roomAhead(
  window: SlidingWindow,
  taken: readonly BucketAmount[],
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): readonly RoomAhead[] {
  const oldest = oldestBucket(window, nowMs);
  let room = limit - usageInWindow(window, taken, nowMs);
  const all = taken
    .filter(([bucket]) => bucket >= oldest)
    .map(([bucket, held]): RoomAhead => {
      room += held;
      return { room, inMs: (bucket + 1) * window.bucketMs + window.windowMs - nowMs };
    });
  const every = Math.ceil(all.length / MOST_AHEAD);
  return all.filter((_, index) => (all.length - 1 - index) % every === 0);
}

/** A wait in the form of `Retry-After`: whole seconds, rounded up, at least one. */
export function retryAfterSeconds(wait: number): number {
  return Math.max(1, Math.ceil(wait / 1000));
}

/** A quota's window is fixed: aligned to the epoch, so every isolate and every restart agree on it. */
export function quotaWindow(windowSeconds: number, nowMs: number): { startMs: number; endMs: number } {
  const windowMs = windowSeconds * 1000;
  const startMs = Math.floor(nowMs / windowMs) * windowMs;
  return { startMs, endMs: startMs + windowMs };
}
