import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { type Days, TREND_DAYS } from "./budget-trend.tsx";
import { amountText } from "./budget-words.ts";

/** As many days as one period has, at most. Longer periods are compared with all days that are looked at. */
const DAYS_OF: Readonly<Partial<Record<Budget["period"], number>>> = { day: 1, week: 7 };

/** Returns what a budget would have refused lately. Null: reports do not tell, as where each value has its own counter. */
export function previewText(budget: Budget, read: Days | string): string | null {
  if (typeof read === "string" || budget.group_by.length > 0) return null;
  const amounts = read.days.map(({ amount }) => Number(amount));
  const taken = amounts.reduce((sum, amount) => sum + amount, 0);
  const refused = aboveLimit(amounts, Number(budget.limit), DAYS_OF[budget.period] ?? TREND_DAYS);
  const shown = (amount: number) =>
    amountText(budget, budget.unit === "usd" ? amount.toFixed(2) : Math.round(amount));
  const then =
    refused > 0
      ? `With this limit, about ${shown(refused)} of that would have been refused.`
      : "With this limit, nothing of that would have been refused.";
  return `In the last ${TREND_DAYS} days these calls took ${shown(taken)}. ${then}`;
}

/** Returns the amounts above the limit in each stretch of so many days, the latest day being the end of the last. */
export function aboveLimit(amounts: readonly number[], limit: number, days: number): number {
  let above = 0;
  for (let end = amounts.length; end > 0; end -= days) {
    const stretch = amounts.slice(Math.max(0, end - days), end).reduce((sum, amount) => sum + amount, 0);
    above += Math.max(0, stretch - limit);
  }
  return above;
}
