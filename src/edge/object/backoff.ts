import { MINUTE_MS } from "../../contract/durations.ts";
import { sourceOf } from "../../domain/network/address.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";

/**
 * Slows down key guessing: after ten failures from one address within a minute, attempts are refused for 1, 2, 4 … up
 * to 60 seconds. Kept in the isolate and bounded; the keyed check in every key makes guessing hopeless anyway. Only
 * time clears a record: otherwise the owner of one valid key could guess forever.
 */

const FREE_FAILURES = 10;
const MEMORY_MS = MINUTE_MS;
const MAX_BLOCK_SECONDS = 60;
const MAX_ADDRESSES = 10_000;

interface Failures {
  failedAt: number[];
  blocks: number;
  blockedUntil: number;
}

export class Backoff {
  readonly #records = new BoundedMap<string, Failures>(MAX_ADDRESSES);

  /** Seconds to wait before the next attempt from this address. 0 if it may try now. */
  waitSeconds(address: string, now: number): number {
    const record = this.#records.get(sourceOf(address));
    if (record === undefined || record.blockedUntil <= now) return 0;
    return Math.max(1, Math.ceil((record.blockedUntil - now) / 1000));
  }

  failed(address: string, now: number): void {
    const source = sourceOf(address);
    const record = this.#records.get(source) ?? { failedAt: [], blocks: 0, blockedUntil: 0 };
    record.failedAt = [...record.failedAt.filter((at) => at > now - MEMORY_MS), now].slice(-FREE_FAILURES);
    if (record.failedAt.length === 1) record.blocks = 0;
    if (record.failedAt.length >= FREE_FAILURES) {
      record.blockedUntil = now + Math.min(MAX_BLOCK_SECONDS, 2 ** record.blocks) * 1000;
      record.blocks = Math.min(record.blocks + 1, 10);
    }
    this.#records.set(source, record);
  }
}
