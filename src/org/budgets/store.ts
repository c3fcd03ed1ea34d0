import type { BudgetUnit } from "../../contract/meter-kinds.ts";
import type { Budget, BudgetGroup } from "../../contract/resources/budgets/budgets.ts";
import type { Amount } from "../../contract/resources/budgets/budget-rules.ts";
import { asCount } from "../../domain/price/count.ts";
import { type Increase, addIncreases } from "../../domain/meter/increase.ts";
import { availableOf, groupIn, publishedPeriod } from "../../domain/refusal/limit-denials.ts";
import type { MatchInput } from "../../domain/meter/match.ts";
import { countsGroups, overByFacts, roomOf, totalSpent } from "../../domain/meter/meter.ts";
import { formatUsd, parseUsd } from "../../domain/price/money.ts";
import type { View } from "../kernel/door.ts";
import { amountsOf, entryNow, showShares } from "../meters/show.ts";
import { loadMeterRow, type MeterExtra, type MeterRow } from "../meters/store.ts";
import type { MeterAccount } from "../meters/usage.ts";

export type BudgetRow = MeterRow & { kind: "budget" } & Pick<Budget, "scope_kind" | "mode">;

/** The fields of a budget that its row does not have. */
export interface BudgetExtra extends Omit<MeterExtra, "lowRoom"> {
  readonly name: string | null;
  readonly thresholds: readonly string[];
  /** What it matches, as the caller wrote it. */
  readonly given?: MatchInput;
}

export function budgetExtra({ extra }: Pick<MeterRow, "extra">): BudgetExtra {
  return JSON.parse(extra) as BudgetExtra;
}

/** An amount of a unit as it is stored. */
export function storedAmount(unit: BudgetUnit, amount: Amount): string {
  return unit === "usd" ? String(parseUsd(String(amount)) ?? 0n) : String(BigInt(amount));
}

export function formatAmount(unit: BudgetUnit, amount: bigint): Amount {
  return unit === "usd" ? formatUsd(amount) : asCount(amount);
}

export function isInForce({ untilMs }: Increase, now: number): boolean {
  return untilMs > now;
}

export function toBudget(view: View, row: BudgetRow): Budget {
  const entry = entryNow(view, row);
  const { name, thresholds, unit = "usd", match, given, anchorDay, increases = [] } = budgetExtra(row);
  const created_at = new Date(row.since).toISOString();
  const period = publishedPeriod(entry);
  const isWhole = entry.meter.isBackdated === true || period.period_start > created_at;
  const inForce = increases.filter((one) => isInForce(one, view.now));
  const limit = BigInt(row.amount ?? 0);
  const none = { spent_usd: formatUsd(0n), reserved_usd: formatUsd(0n), available_usd: formatUsd(0n) };
  return {
    id: row.id,
    name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === "" ? null : row.scope_id,
    match: given === undefined ? null : (given as Budget["match"]),
    group_by: [...(match?.groupBy ?? [])],
    unit,
    limit_usd: formatUsd(unit === "usd" ? limit : 0n),
    limit: formatAmount(unit, limit),
    increase: formatAmount(unit, addIncreases(0n, inForce)),
    period: row.period,
    timezone: row.time_zone ?? "UTC",
    anchor_day: anchorDay ?? null,
    mode: row.mode,
    alert_thresholds: showShares(thresholds),
    ...(unit === "usd" ? amountsOf(entry) : none),
    ...(countsGroups(entry.meter)
      ? { spent: null, reserved: null, available: null, over: null }
      : { ...standing(unit, entry), over: formatAmount(unit, overByFacts(entry)) }),
    ...period,
    count_from: entry.meter.isBackdated === true ? "period_start" : "creation",
    counts_since: isWhole ? period.period_start : created_at,
    status: statusOf(entry),
    created_at,
  };
}

/** One of the counters of a budget. */
export function toGroup(unit: BudgetUnit, entry: MeterAccount): BudgetGroup {
  const { group = null, group_values = {} } = groupIn(entry);
  return {
    group,
    group_values,
    ...standing(unit, entry),
    status: statusOf(entry),
    ...publishedPeriod(entry),
  };
}

function standing(unit: BudgetUnit, entry: MeterAccount) {
  const { usage } = entry;
  return {
    spent: formatAmount(unit, totalSpent(usage)),
    reserved: formatAmount(unit, usage.held + usage.leased),
    available: formatAmount(unit, availableOf(entry)),
  };
}

function statusOf(entry: MeterAccount): Budget["status"] {
  return (roomOf(entry) ?? 1n) > 0n ? "active" : "exhausted";
}

export function loadBudget(view: View, id: string): BudgetRow | null {
  return loadMeterRow<BudgetRow>(view.sql, id, "budget");
}

export function budgetNow(view: View, input: { id: string }): Budget | null {
  const row = loadBudget(view, input.id);
  return row === null ? null : toBudget(view, row);
}
