import { DAY_MS } from "../contract/durations.ts";
import { DurableObject } from "cloudflare:workers";
import type { CounterBatch, GaugeValue } from "../contract/metrics.ts";
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
export type GaugeReading = { name: string; sum: number; least: number };

/** A total stays below what a 64-bit integer can hold, so that adding to it never fails. */
const MOST = 9_000_000_000_000_000_000n;

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

  /** What an object says of itself takes the place of what it said before. */
  tell(source: string, values: readonly GaugeValue[]): void {
    this.ctx.storage.transactionSync(() => {
      for (const [name, value] of values) {
        if (value === null) {
          this.#sql.exec(`DELETE FROM gauges WHERE name = ? AND source = ?`, name, source);
          continue;
        }
        this.#sql.exec(
          `INSERT INTO gauges (name, source, value) VALUES (?, ?, ?)
           ON CONFLICT (name, source) DO UPDATE SET value = excluded.value`,
          name,
          source,
          Math.min(Math.trunc(value), Number.MAX_SAFE_INTEGER),
        );
      }
    });
  }

  readGauges(): GaugeReading[] {
    return this.#sql
      .exec<GaugeReading>(`SELECT name, total(value) AS sum, min(value) AS least FROM gauges GROUP BY name`)
      .toArray();
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
       ON CONFLICT (series) DO UPDATE SET total = iif(total > ${MOST} - excluded.total, ${MOST}, total + excluded.total)`,
      // As whole digits: a large number's own text has an exponent, which is no integer to SQLite.
      `[${[...sums].map(([series, by]) => `[${JSON.stringify(series)},${wholeOf(by)}]`).join(",")}]`,
    );
  }

  #forgetSilentSources(nowMs: number): void {
    this.#sql.exec(`DELETE FROM sources WHERE seen_at_ms < ?`, nowMs - SOURCE_LIFETIME_MS);
  }
}

function wholeOf(by: number): bigint {
  const whole = BigInt(Math.trunc(by));
  return whole < MOST ? whole : MOST;
}
