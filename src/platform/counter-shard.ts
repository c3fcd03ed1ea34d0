import { DAY_MS } from "../contract/durations.ts";
import { DurableObject } from "cloudflare:workers";
import type { CounterBatch, GaugeValue, OrgCallRow } from "../contract/metrics.ts";
import { RecentOrgCalls } from "../domain/metric/org-calls.ts";
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

/** More of them wait no longer: each batch writes them again, and every scrape reads them. */
const MOST_PENDING_CHARACTERS = 8000;

/** Of a source. */
interface KnownTotals {
  /** The mark below which all of its batches are settled, and the batches applied above it. */
  readonly settled: number;
  readonly applied: readonly number[];
  /** The counts of the source that are not in `counts` yet. */
  readonly pending: string;
}

export class CounterShard extends DurableObject {
  readonly #sql: SqlStorage;
  readonly #recent = new RecentOrgCalls();

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    applySteps(state.storage, COUNTER_STEPS);
  }

  /** Its counts wait in the row of the source, which is written anyway, until there are many or it is gone. */
  add(
    source: string,
    settled: number,
    batches: readonly CounterBatch[],
    orgs: readonly OrgCallRow[] = [],
  ): void {
    const nowMs = Date.now();
    this.#recent.add(orgs, nowMs);
    this.ctx.storage.transactionSync(() => {
      const known = this.#known(source);
      if (known === undefined) this.#forgetSilentSources(nowMs);
      const floor = known?.settled ?? 0;
      const applied = new Set(known?.applied);
      const sums = readSums(known?.pending ?? "{}");
      for (const { seq, deltas } of batches) {
        if (seq < floor || applied.has(seq)) continue;
        applied.add(seq);
        for (const [series, by] of deltas) addTo(sums, series, wholeOf(by));
      }
      const mark = Math.max(floor, settled);
      const waiting = [...applied].filter((seq) => seq >= mark);
      const pending = writeSums(sums);
      const isMuch = pending.length > MOST_PENDING_CHARACTERS;
      if (isMuch) this.#count(sums);
      this.#note(source, { settled: mark, applied: waiting, pending: isMuch ? "{}" : pending }, nowMs);
    });
  }

  read(): SeriesTotal[] {
    const sums: Sums = new Map();
    const counts = this.#sql.exec<{ series: string; total: string }>(
      `SELECT series, CAST(total AS TEXT) AS total FROM counts`,
    );
    for (const { series, total } of counts) sums.set(series, BigInt(total));
    for (const { pending } of this.#sql.exec<{ pending: string }>(`SELECT pending FROM sources`)) {
      for (const [series, by] of readSums(pending)) addTo(sums, series, by);
    }
    const totals = Array.from(sums, ([series, total]) => ({ series, total: Number(total) }));
    return totals.sort((one, other) => (one.series < other.series ? -1 : 1));
  }

  /** The busiest orgs of the last minute, as far as this shard's isolates know: `OrgCallRow`s as JSON. */
  busiest(most: number): string {
    return JSON.stringify(this.#recent.busiest(most, Date.now()));
  }

  /** The minutes of the last hour in which some orgs were called: `OrgMinuteRow`s as JSON. */
  lastHour(orgIds: readonly string[], nowMs: number): string {
    return JSON.stringify(this.#recent.lastHour(orgIds, nowMs));
  }

  /** An object's gauges take the place of those that it sent before. */
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

  #known(source: string): KnownTotals | undefined {
    const [row] = this.#sql
      .exec<{ settled: number; applied: string; pending: string }>(
        `SELECT settled, applied, pending FROM sources WHERE source = ?`,
        source,
      )
      .toArray();
    return row && { ...row, applied: JSON.parse(row.applied) as number[] };
  }

  #note(source: string, { settled, applied, pending }: KnownTotals, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO sources (source, settled, seen_at_ms, applied, pending) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (source) DO UPDATE SET settled = excluded.settled, seen_at_ms = excluded.seen_at_ms,
         applied = excluded.applied, pending = excluded.pending`,
      source,
      settled,
      nowMs,
      JSON.stringify(applied),
      pending,
    );
  }

  #count(sums: Sums): void {
    if (sums.size === 0) return;
    this.#sql.exec(
      `INSERT INTO counts (series, total) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
       ON CONFLICT (series) DO UPDATE SET total = iif(total > ${MOST} - excluded.total, ${MOST}, total + excluded.total)`,
      // As whole digits: a large number's own text has an exponent, which is no integer to SQLite.
      `[${[...sums].map(([series, by]) => `[${JSON.stringify(series)},${by}]`).join(",")}]`,
    );
  }

  /** The counts that they sent stay. */
  #forgetSilentSources(nowMs: number): void {
    const before = nowMs - SOURCE_LIFETIME_MS;
    const sums: Sums = new Map();
    const silent = `SELECT pending FROM sources WHERE seen_at_ms < ?`;
    for (const { pending } of this.#sql.exec<{ pending: string }>(silent, before)) {
      for (const [series, by] of readSums(pending)) addTo(sums, series, by);
    }
    this.#count(sums);
    this.#sql.exec(`DELETE FROM sources WHERE seen_at_ms < ?`, before);
  }
}

/** The amounts that each series was counted up by. */
type Sums = Map<string, bigint>;

/** As JSON, with whole digits as texts. */
function readSums(text: string): Sums {
  const sums = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(sums.map(([series, by]) => [series, BigInt(by)]));
}

function writeSums(sums: Sums): string {
  return JSON.stringify(Object.fromEntries(Array.from(sums, ([series, by]) => [series, String(by)])));
}

function addTo(sums: Sums, series: string, by: bigint): void {
  const sum = (sums.get(series) ?? 0n) + by;
  sums.set(series, sum < MOST ? sum : MOST);
}

function wholeOf(by: number): bigint {
  const whole = BigInt(Math.trunc(by));
  return whole < MOST ? whole : MOST;
}
