import { BoundedMap } from "../cache/bounded-map.ts";

/** More than the gates of one key decide, all together. */
const MOST_PER_SECOND = 5_000;
/** Gates exchange every second while they have something to say. A key that was silent for longer has no more than this. */
const LONGEST_SECONDS = 60;
/** For a key that was not heard of: it may have waited for the service to come back. */
const FIRST_SECONDS = 10;
const MOST_KEYS = 1_000;

interface RemainingCalls {
  readonly atMs: number;
  readonly calls: number;
}

/**
 * How many calls the gates of a key can have had since they were last heard. Their reports of calls that only they know
 * of are counted up to that, so that no key can add any number to counters that others read.
 */
export class CallAllowance {
  readonly #keys = new BoundedMap<string, RemainingCalls>(MOST_KEYS);

  /** How many of the reported calls are counted. */
  take(keyId: string, reported: number, nowMs: number): number {
    const calls = this.#left(keyId, nowMs);
    const taken = Math.min(reported, calls);
    this.#keys.set(keyId, { atMs: nowMs, calls: calls - taken });
    return taken;
  }

  #left(keyId: string, nowMs: number): number {
    const known = this.#keys.get(keyId);
    if (known === undefined) return FIRST_SECONDS * MOST_PER_SECOND;
    const seconds = Math.max(0, nowMs - known.atMs) / 1000;
    return Math.min(LONGEST_SECONDS * MOST_PER_SECOND, known.calls + Math.floor(seconds * MOST_PER_SECOND));
  }
}
