import { type CounterBatch, type CounterNamespace, SHARD_NAMES, shardOf } from "../contract/metrics.ts";
import type { SeriesTotal } from "../platform/counter-shard.ts";

/**
 * Counts of this isolate. `count` is one map entry in memory, cheap enough for the hot path; a flush stores what was
 * counted in the isolate's shard. A batch whose arrival nobody confirmed is sent again under its number, and the shard
 * applies it once.
 */

export interface ReadableCounters {
  getByName(name: string): { read(): Promise<SeriesTotal[]> };
}

/**
 * Counts of a busy isolate lie in memory for so long, and are lost if it is killed meanwhile. Each flush is a request to a
 * shard and some five rows written there: four a second would cost more than the decisions they count.
 */
const FLUSH_EVERY_MS = 1000;
/** What was sent and not confirmed for so long goes out again. */
const GIVE_UP_AFTER_MS = 2000;
/**
 * With so many batches unconfirmed, counts gather in memory, where they add up instead of piling up. More than requests
 * are ever under way in one isolate: short of it, each of them stores its own.
 */
const MAX_UNSETTLED = 1024;

interface OpenBatch extends CounterBatch {
  sentAtMs: number;
}

export class Counters {
  readonly #pending = new Map<string, number>();
  readonly #unsettled = new Map<number, OpenBatch>();
  #source = "";
  #lastSeq = 0;
  #flushedAtMs = -Infinity;
  #claimedForMs = -Infinity;
  readonly #maxUnsettled: number;

  constructor(maxUnsettled = MAX_UNSETTLED) {
    this.#maxUnsettled = maxUnsettled;
  }

  count(series: string, by = 1): void {
    this.#pending.set(series, (this.#pending.get(series) ?? 0) + by);
  }

  /** How long from now the caller must flush; undefined when another request has taken that on. */
  claimFlush(nowMs: number): number | undefined {
    if (nowMs < this.#claimedForMs + GIVE_UP_AFTER_MS) return undefined;
    this.#claimedForMs = Math.max(nowMs, this.#flushedAtMs + FLUSH_EVERY_MS);
    return this.#claimedForMs - nowMs;
  }

  /** Stores what is new. What other requests are sending is left to them. Resolves once the shard has it. */
  async flush(shards: CounterNamespace, nowMs: number): Promise<void> {
    this.#claimedForMs = -Infinity;
    this.#flushedAtMs = nowMs;
    await this.#send(shards, this.#openSince(nowMs - GIVE_UP_AFTER_MS), nowMs);
  }

  /** Stores everything counted up to now, whoever else may be sending it. */
  async flushAll(shards: CounterNamespace, nowMs: number): Promise<void> {
    await this.#send(shards, this.#openSince(Infinity), nowMs);
  }

  #openSince(sentBeforeMs: number): OpenBatch[] {
    if (this.#pending.size > 0 && this.#unsettled.size < this.#maxUnsettled) {
      this.#lastSeq += 1;
      const batch = { seq: this.#lastSeq, deltas: [...this.#pending], sentAtMs: -Infinity };
      this.#unsettled.set(batch.seq, batch);
      this.#pending.clear();
    }
    return [...this.#unsettled.values()].filter(({ sentAtMs }) => sentAtMs < sentBeforeMs);
  }

  async #send(shards: CounterNamespace, batches: readonly OpenBatch[], nowMs: number): Promise<void> {
    if (batches.length === 0) return;
    // Not at start: outside a request an isolate has no randomness.
    this.#source ||= crypto.randomUUID();
    for (const batch of batches) batch.sentAtMs = nowMs;
    const settled = Math.min(...this.#unsettled.keys());
    const wire = batches.map(({ seq, deltas }) => ({ seq, deltas }));
    await shards.getByName(shardOf(this.#source)).add(this.#source, settled, wire);
    for (const { seq } of batches) this.#unsettled.delete(seq);
  }
}

/** Totals of all shards. One that cannot be read fails the whole: a sum without it would look like a reset. */
export async function readTotals(shards: ReadableCounters): Promise<SeriesTotal[]> {
  const parts = await Promise.all(SHARD_NAMES.map((name) => shards.getByName(name).read()));
  return parts.flat();
}

export const counters = new Counters();
