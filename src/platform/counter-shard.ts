import { DAY_MS } from "../contract/durations.ts";
import { DurableObject } from "cloudflare:workers";
import type { CounterBatch } from "../contract/metrics.ts";
import { COUNTER_STEPS } from "./object-steps.ts";
import { applySteps } from "./schema.ts";

/**
 * A share of the platform's counters. There is a fixed number of shards; a source (an isolate, an org's object)
 * always adds to the same one, and `/metrics` sums them. It is an object so that counts outlive isolates.
 *
 * A source that never heard whether a batch arrived sends it again, so each batch carries a number of its source
 * and is applied once: the numbers applied are kept, in the same transaction as the counts, until the source says that
 * all below `settled` are answered. A straggler under that mark was applied before.
 */

/** A type, not an interface, because the runtime's row type requires an index signature. */
export type SeriesTotal = { series: string; total: number };

/** A source that was silent for this long is gone, and none of its batches is still in transit. */
const SOURCE_LIFETIME_MS = DAY_MS;

export class CounterShard extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    applySteps(state.storage, COUNTER_STEPS);
  }

  add(source: string, settled: number, batches: readonly CounterBatch[]): void {
    const nowMs = Date.now();
    this.ctx.storage.transactionSync(() => {
      const known = this.#known(source);
      if (known === undefined) this.#forgetSilentSources(nowMs);
      const floor = known?.settled ?? 0;
      const applied = new Set(known?.applied);
      const sums = new Map<string, number>();
      for (const { seq, deltas } of batches) {
        if (seq < floor || applied.has(seq)) continue;
        applied.add(seq);
        for (const [series, by] of deltas) sums.set(series, (sums.get(series) ?? 0) + by);
      }
      const mark = Math.max(floor, settled);
      this.#count(sums);
      this.#note(
        source,
        mark,
        [...applied].filter((seq) => seq >= mark),
        nowMs,
      );
    });
  }

  read(): SeriesTotal[] {
    return this.#sql.exec<SeriesTotal>(`SELECT series, total FROM counts`).toArray();
  }

  /** The mark below which all batches of the source are settled, and the batches applied above it. */
  #known(source: string): { settled: number; applied: number[] } | undefined {
    const [row] = this.#sql
      .exec<{ settled: number; applied: string }>(
        `SELECT settled, applied FROM sources WHERE source = ?`,
        source,
      )
      .toArray();
    return row && { settled: row.settled, applied: JSON.parse(row.applied) as number[] };
  }

  #note(source: string, settled: number, applied: readonly number[], nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO sources (source, settled, seen_at_ms, applied) VALUES (?, ?, ?, ?) ON CONFLICT (source) DO UPDATE
       SET settled = excluded.settled, seen_at_ms = excluded.seen_at_ms, applied = excluded.applied`,
      source,
      settled,
      nowMs,
      JSON.stringify(applied),
    );
  }

  #count(sums: ReadonlyMap<string, number>): void {
    if (sums.size === 0) return;
    this.#sql.exec(
      `INSERT INTO counts (series, total) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
       ON CONFLICT (series) DO UPDATE SET total = total + excluded.total`,
      JSON.stringify([...sums]),
    );
  }

  #forgetSilentSources(nowMs: number): void {
    this.#sql.exec(`DELETE FROM sources WHERE seen_at_ms < ?`, nowMs - SOURCE_LIFETIME_MS);
  }
}
