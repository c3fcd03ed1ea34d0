import { BoundedMap } from "../domain/cache/bounded-map.ts";
import { MINUTE_MS } from "../contract/durations.ts";

/**
 * Limits requests per address: at most `limit` in any `WINDOW_MS`, counted in buckets that count in full while any part
 * is inside the window. Kept in the isolate and bounded. It protects the sign-in routes and is not exact across
 * isolates.
 */

const BUCKET_MS = 5_000;
const WINDOW_MS = MINUTE_MS;
const MOST_ADDRESSES = 10_000;

interface Bucket {
  readonly at: number;
  count: number;
}

export class AddressLimit {
  readonly #limit: number;
  readonly #asked = new BoundedMap<string, Bucket[]>(MOST_ADDRESSES);

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a request, or returns the seconds to wait if it is over the limit. Refused requests are not counted. */
  take(address: string, now: number): number {
    const at = Math.floor(now / BUCKET_MS) * BUCKET_MS;
    const buckets = (this.#asked.get(address) ?? []).filter(
      (bucket) => bucket.at + BUCKET_MS > now - WINDOW_MS,
    );
    const total = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    if (total >= this.#limit) {
      const leaves = (buckets[0]?.at ?? at) + BUCKET_MS + WINDOW_MS;
      return Math.max(1, Math.ceil((leaves - now) / 1000));
    }
    const last = buckets.at(-1);
    if (last?.at === at) last.count += 1;
    else buckets.push({ at, count: 1 });
    this.#asked.set(address, buckets);
    return 0;
  }
}
