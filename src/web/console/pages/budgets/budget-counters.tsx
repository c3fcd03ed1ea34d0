import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { formatUsd, parseUsd } from "../../../../domain/price/money.ts";
import { Behind, UsedOf } from "../../view/parts.tsx";
import { countsEarlier, runsBehindGroup } from "../../view/behind.ts";
import { runsChargedSince, runsChargedTo } from "../../view/links.ts";
import { Amount } from "./budget-amount.tsx";
import { daysAskOf } from "./budget-days.ts";

/** The difference of two amounts in a budget's unit. Null: there is none. */
export function subtractAmounts(
  { unit }: Pick<Budget, "unit">,
  amount: string | number,
  other: string | number,
): string | number | null {
  if (unit !== "usd") return Number(amount) > Number(other) ? Number(amount) - Number(other) : null;
  const nanos = (parseUsd(String(amount)) ?? 0n) - (parseUsd(String(other)) ?? 0n);
  return nanos > 0n ? formatUsd(nanos) : null;
}

/** The amount that a budget has counted beyond its limit. Null: nothing, or its counters are several. */
export function overOf(budget: Budget): string | number | null {
  return budget.spent === null ? null : subtractAmounts(budget, budget.spent, limitOf(budget));
}

export function limitOf({ unit, limit, increase }: Budget): string {
  if (unit !== "usd") return String(Number(limit) + Number(increase));
  return formatUsd((parseUsd(String(limit)) ?? 0n) + (parseUsd(String(increase)) ?? 0n));
}

/** How full a budget is. Of several counters it is the fullest. */
export function usedOf(budget: Budget) {
  const { spent, reserved, counters } = budget;
  const limit = limitOf(budget);
  if (spent !== null && reserved !== null) {
    return <UsedOf spent={String(spent)} held={String(reserved)} limit={limit} />;
  }
  const fullest = counters?.fullest ?? null;
  if (fullest === null) return <span class="quiet">Nothing yet</span>;
  return (
    <>
      <UsedOf spent={String(fullest.spent)} held={String(fullest.reserved)} limit={limit} />
      <span class="sub">
        the fullest: <Behind href={runsBehindGroup(budget, fullest)}>{fullest.group ?? "none"}</Behind>
      </span>
    </>
  );
}

/** The spend or the reserved amount of all counters together. */
export function sumOf(budget: Budget, which: "spent" | "reserved"): string | number | null {
  return budget[which] ?? budget.counters?.[which] ?? null;
}

/** Null: no filter finds the runs that it counts. */
function runsBehind(budget: Budget): string | null {
  if (!countsEarlier(budget)) return runsChargedTo(budget.id, budget);
  const ask = daysAskOf(budget);
  return ask?.isExact === true ? runsChargedSince(ask.filter, budget) : null;
}

export function spentOf(budget: Budget) {
  const spent = sumOf(budget, "spent");
  const amount = <Amount of={budget} amount={spent} />;
  const over = overOf(budget);
  if (spent === null) return amount;
  return (
    <>
      <Behind href={runsBehind(budget)}>{amount}</Behind>
      {over !== null && (
        <span class="sub">
          <Amount of={budget} amount={over} /> over
        </span>
      )}
    </>
  );
}
