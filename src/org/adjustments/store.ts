import type { Adjustment } from "../../contract/resources/adjustments.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { meterKindOf } from "../../contract/meter-kinds.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";

/** Amounts are decimal texts of nano-dollars, negative if given back. */
interface AdjustmentData {
  readonly reason: string;
  readonly customer: string | null;
  readonly chain: string | null;
  /** The names that the run gave, by the columns that they are stored in. */
  readonly names: RunNames;
  /** From the run. */
  readonly subjects?: Readonly<Record<string, string>>;
  /** Of the adjusted limits, those that were created after the run was charged and count from before that. */
  readonly backdated?: readonly string[];
  /** The run's cost including it. */
  readonly net: string;
  readonly over?: Readonly<Record<string, string>>;
  readonly draws?: readonly (readonly [packId: string, amount: string])[];
  readonly uncovered?: string;
}

export type AdjustmentRow = {
  seq: number;
  id: string;
  run_id: string;
  at: number;
  amount: string;
  charges: string;
  data: string;
};

export interface StoredAdjustment extends AdjustmentData {
  readonly id: string;
  readonly runId: string;
  readonly at: number;
  readonly amount: bigint;
  readonly charges: readonly string[];
}

export function fromAdjustmentRow(row: AdjustmentRow): StoredAdjustment {
  return {
    id: row.id,
    runId: row.run_id,
    at: row.at,
    amount: BigInt(row.amount),
    charges: row.charges === "" ? [] : row.charges.split(" "),
    ...(JSON.parse(row.data) as AdjustmentData),
  };
}

/** In the order in which they were made. */
export function loadAdjustments(sql: SqlStorage, runId: string): StoredAdjustment[] {
  return sql
    .exec<AdjustmentRow>("SELECT * FROM run_adjustments WHERE run_id = ? ORDER BY seq", runId)
    .toArray()
    .map(fromAdjustmentRow);
}

/** Returns the adjustments that were made at a time or later. */
export function* adjustmentsSince(sql: SqlStorage, fromMs: number): Generator<StoredAdjustment> {
  const rows = sql.exec<AdjustmentRow>("SELECT * FROM run_adjustments WHERE at >= ?", fromMs);
  for (const row of rows) yield fromAdjustmentRow(row);
}

export function insertAdjustment(sql: SqlStorage, made: StoredAdjustment): void {
  const { id, runId, at, amount, charges, ...data } = made;
  sql.exec(
    "INSERT INTO run_adjustments (id, run_id, at, amount, charges, data) VALUES (?, ?, ?, ?, ?, ?)",
    id,
    runId,
    at,
    String(amount),
    charges.join(" "),
    JSON.stringify(data),
  );
}

export function toAdjustment(stored: StoredAdjustment): Adjustment {
  const { over = {}, draws = [] } = stored;
  const limits = stored.charges.map((id) => ({
    kind: meterKindOf(id) ?? id,
    id,
    amount_usd: formatUsd(stored.amount),
    ...(over[id] === undefined ? {} : { over_usd: formatUsd(BigInt(over[id])) }),
  }));
  const packs = draws.map(([id, amount]) => ({
    kind: "credit_pack",
    id,
    amount_usd: formatUsd(BigInt(amount)),
  }));
  return {
    id: stored.id,
    run_id: stored.runId,
    amount_usd: formatUsd(stored.amount),
    reason: stored.reason,
    net_cost_usd: formatUsd(BigInt(stored.net)),
    charges: [...limits, ...packs],
    uncovered_usd: stored.uncovered === undefined ? null : formatUsd(BigInt(stored.uncovered)),
    created_at: new Date(stored.at).toISOString(),
  };
}
