import { type CounterBatch, type CounterNamespace, shardOf } from "./contract/metrics.ts";
import { OrgCallCounts } from "./domain/metric/org-calls.ts";
import { logFailure } from "./log.ts";

/**
 * Counts of this isolate, of requests and of the objects that run in it. `count` updates a map in memory, which is cheap enough for the hot path. A flush stores the
 * counts in the isolate's shard. An unconfirmed batch is sent again with the same number, and the shard applies it
 * once.
 */

/**
 * How long a busy isolate keeps counts in memory. They are lost if it is killed. Each flush is a request to a shard and
 * a written row: four per second would cost more than the decisions that they count. Constant in every
 * deployment. Only the Worker's tests, which share its isolate, shorten it.
 */
export const FLUSHING = { everyMs: 1000 } as const;
/** After this time, an unconfirmed batch is sent again. */
const GIVE_UP_AFTER_MS = 2000;
/**
 * With this many unconfirmed batches, counts are merged in memory instead of queued. It is more than the requests in
 * progress in one isolate; below it, each request stores its own.
 */
const MAX_UNSETTLED = 1024;

interface OpenBatch extends CounterBatch {
  sentAtMs: number;
}

export class Counters {
  readonly #pending = new Map<string, number>();
  readonly #unsettled = new Map<number, OpenBatch>();
  /** The counts that were handed to the shard since its totals were read last. */
  readonly #handedOn = new Map<string, number>();
  #source = "";
  #lastSeq = 0;
  #flushedAtMs = -Infinity;
  #claimedForMs = -Infinity;
  readonly #maxUnsettled: number;

  constructor(maxUnsettled = MAX_UNSETTLED) {
    this.#maxUnsettled = maxUnsettled;
  }

  /** The calls of orgs that were identified. */
  readonly orgs = new OrgCallCounts();

  count(series: string, by = 1): void {
    this.#pending.set(series, (this.#pending.get(series) ?? 0) + by);
  }

  /** When the caller must flush. Undefined if another request does it. */
  claimFlush(nowMs: number): number | undefined {
    if (nowMs < this.#claimedForMs + GIVE_UP_AFTER_MS) return undefined;
    this.#claimedForMs = Math.max(nowMs, this.#flushedAtMs + FLUSHING.everyMs);
    return this.#claimedForMs - nowMs;
  }

  /** Stores new counts, except those that other requests are sending. Resolves when the shard has them. */
  async flush(shards: CounterNamespace, nowMs: number): Promise<void> {
    this.#claimedForMs = -Infinity;
    this.#flushedAtMs = nowMs;
    await this.#send(shards, this.#openSince(nowMs - GIVE_UP_AFTER_MS), nowMs);
  }

  /** Stores everything counted up to now, even if another request is sending it. */
  async flushAll(shards: CounterNamespace, nowMs: number): Promise<void> {
    await this.#send(shards, this.#openSince(Infinity), nowMs);
  }

  /** From now on, `sinceRead` has what is counted after this. Whoever has read the totals of all shards says so. */
  noteRead(): void {
    this.#handedOn.clear();
  }

  /** Returns what this isolate has counted and the totals that were read last do not have. */
  sinceRead(): [series: string, by: number][] {
    return [...this.#handedOn, ...this.#pending];
  }

  #openSince(sentBeforeMs: number): OpenBatch[] {
    if (this.#pending.size > 0 && this.#unsettled.size < this.#maxUnsettled) {
      this.#lastSeq += 1;
      const batch = { seq: this.#lastSeq, deltas: [...this.#pending], sentAtMs: -Infinity };
      this.#unsettled.set(batch.seq, batch);
      for (const [series, by] of batch.deltas) {
        this.#handedOn.set(series, (this.#handedOn.get(series) ?? 0) + by);
      }
      this.#pending.clear();
    }
    return [...this.#unsettled.values()].filter(({ sentAtMs }) => sentAtMs < sentBeforeMs);
  }

  async #send(shards: CounterNamespace, batches: readonly OpenBatch[], nowMs: number): Promise<void> {
    if (batches.length === 0) return;
    // Not at startup: an isolate has no randomness outside a request.
    this.#source ||= crypto.randomUUID();
    for (const batch of batches) batch.sentAtMs = nowMs;
    const settled = Math.min(...this.#unsettled.keys());
    const wire = batches.map(({ seq, deltas }) => ({ seq, deltas }));
    await shards.getByName(shardOf(this.#source)).add(this.#source, settled, wire, this.orgs.take());
    for (const { seq } of batches) this.#unsettled.delete(seq);
  }
}

export const counters = new Counters();

/** Stores what this isolate has counted, in a while. */
export async function flushAfter(shards: CounterNamespace, delayMs: number): Promise<void> {
  if (delayMs > 0) await scheduler.wait(delayMs);
  await counters.flush(shards, Date.now()).catch((error: unknown) => logFailure("counters", error));
}
