import type { Budget } from "../../contract/resources/budgets.ts";
import { publishedPeriod } from "../../domain/kinds.ts";
import { roomOf } from "../../domain/meter.ts";
import { formatUsd } from "../../domain/money.ts";
import type { View } from "../kernel/door.ts";
import { formatShare } from "../ledger/announce.ts";
import { amountsOf, entryNow } from "../meters/show.ts";
import { loadMeterRow, type MeterRow } from "../meters/store.ts";

export type BudgetRow = MeterRow & { kind: "budget" } & Pick<Budget, "scope_kind" | "mode">;

/** The fields of a budget that its meter does not have. */
interface BudgetExtra {
  readonly name: string | null;
  readonly thresholds: readonly string[];
}

export function budgetExtra(row: MeterRow): BudgetExtra {
  return JSON.parse(row.extra) as BudgetExtra;
}

export function toBudget(view: View, row: BudgetRow): Budget {
  const entry = entryNow(view, row);
  const { name, thresholds } = budgetExtra(row);
  return {
    id: row.id,
    name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === "" ? null : row.scope_id,
    limit_usd: formatUsd(BigInt(row.amount ?? 0)),
    period: row.period,
    mode: row.mode,
    alert_thresholds: thresholds.map((share) => formatShare(BigInt(share))),
    ...amountsOf(entry),
    ...publishedPeriod(entry),
    status: (roomOf(entry) ?? 1n) > 0n ? "active" : "exhausted",
    created_at: new Date(row.since).toISOString(),
  };
}

export function loadBudget(view: View, id: string): BudgetRow | null {
  return loadMeterRow<BudgetRow>(view.sql, id, "budget");
}

export function budgetNow(view: View, input: { id: string }): Budget | null {
  const row = loadBudget(view, input.id);
  return row === null ? null : toBudget(view, row);
}
