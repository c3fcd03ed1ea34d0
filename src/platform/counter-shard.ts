import { DurableObject } from "cloudflare:workers";
import type { CounterBatch } from "../contract/metrics.ts";
import { applySteps } from "./schema.ts";

/**
 * A share of the platform's counters. There is a fixed number of shards; a source (an isolate, an org's object)
 * always adds to the same one, and `/metrics` sums them. It is an object so that counts outlive isolates.
 *
 * A source that never heard whether a batch arrived sends it again, so each batch carries a number of its source
 * and is applied once: the numbers seen are kept, in the same transaction as the counts, until the source says that
 * all below `settled` are answered. A straggler under that mark was applied before.
 */

/** A type, not an interface: the runtime's row type wants an index signature. */
export type SeriesTotal = { series: string; total: number };

const STEPS = [
  `CREATE TABLE counts (series TEXT PRIMARY KEY, total INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sources (source TEXT PRIMARY KEY, settled INTEGER NOT NULL, seen_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE batches (source TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (source, seq)) STRICT, WITHOUT ROWID`,
];

/** A source that was silent for so long is gone, and no batch of it is still on its way. */
const SOURCE_LIFETIME_MS = 86_400_000;

export class CounterShard extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    applySteps(state.storage, STEPS);
  }

  add(source: string, settled: number, batches: readonly CounterBatch[]): void {
    const nowMs = Date.now();
    this.ctx.storage.transactionSync(() => {
      const floor = this.#settle(source, settled, nowMs);
      for (const batch of batches) if (batch.seq >= floor) this.#apply(source, batch);
      this.#sql.exec(`DELETE FROM batches WHERE source = ? AND seq < ?`, source, Math.max(floor, settled));
    });
  }

  read(): SeriesTotal[] {
    return this.#sql.exec<SeriesTotal>(`SELECT series, total FROM counts`).toArray();
  }

  /** The mark under which batches of this source were applied and forgotten before this call. */
  #settle(source: string, settled: number, nowMs: number): number {
    const [known] = this.#sql
      .exec<{ settled: number }>(`SELECT settled FROM sources WHERE source = ?`, source)
      .toArray();
    if (!known) this.#forgetSilentSources(nowMs);
    this.#sql.exec(
      `INSERT INTO sources (source, settled, seen_at_ms) VALUES (?1, ?2, ?3)
       ON CONFLICT (source) DO UPDATE SET settled = max(settled, ?2), seen_at_ms = ?3`,
      source,
      settled,
      nowMs,
    );
    return known?.settled ?? 0;
  }

  #apply(source: string, batch: CounterBatch): void {
    const fresh = this.#sql.exec(
      `INSERT INTO batches (source, seq) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING seq`,
      source,
      batch.seq,
    );
    if (fresh.toArray().length === 0) return;
    for (const [series, by] of batch.deltas) {
      this.#sql.exec(
        `INSERT INTO counts (series, total) VALUES (?1, ?2) ON CONFLICT (series) DO UPDATE SET total = total + ?2`,
        series,
        by,
      );
    }
  }

  #forgetSilentSources(nowMs: number): void {
    const before = nowMs - SOURCE_LIFETIME_MS;
    this.#sql.exec(
      `DELETE FROM batches WHERE source IN (SELECT source FROM sources WHERE seen_at_ms < ?)`,
      before,
    );
    this.#sql.exec(`DELETE FROM sources WHERE seen_at_ms < ?`, before);
  }
}
