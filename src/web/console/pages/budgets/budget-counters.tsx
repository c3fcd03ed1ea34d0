import type { Budget, BudgetGroup } from "../../../../contract/resources/budgets/budgets.ts";
import { formatUsd, parseUsd } from "../../../../domain/price/money.ts";
import { Behind, UsedOf } from "../../view/parts.tsx";
import { countsEarlier, runsBehindGroup } from "../../view/behind.ts";
import { runsChargedSince, runsChargedTo } from "../../view/links.ts";
import { type Failed, UnreadFigure } from "../../view/unread.tsx";
import type { ListOf, Visit } from "../../visit.ts";
import { Amount } from "./budget-amount.tsx";
import { daysAskOf } from "./budget-days.ts";

/** The counters of a budget with `group_by`. */
export interface Counters {
  readonly groups: readonly BudgetGroup[];
  /** There are no others. */
  readonly isAll: boolean;
  /** Why they could not be read. */
  readonly unread: Failed | null;
}

/** A budget, and its counters if it has several. */
export interface CountedBudget extends Budget {
  readonly counters?: Counters;
}

const MOST_COUNTERS = 200;

/** Reads the counters of those that have several. */
export function withCounters(
  visit: Visit,
  budgets: readonly CountedBudget[],
): Promise<readonly CountedBudget[]> {
  return Promise.all(
    budgets.map(async (budget) => {
      if (budget.group_by.length === 0) return budget;
      const path = `${visit.org}/budgets/${encodeURIComponent(budget.id)}/groups?limit=${MOST_COUNTERS}`;
      const answer = await visit.api.get<ListOf<BudgetGroup>>(path);
      const { body } = answer;
      if (body === null) return { ...budget, counters: { groups: [], isAll: false, unread: answer } };
      return { ...budget, counters: { groups: body.data, isAll: body.next_cursor === null, unread: null } };
    }),
  );
}

/** The difference of two amounts in a budget's unit. Null: there is none. */
export function above(
  { unit }: Pick<Budget, "unit">,
  amount: string | number,
  other: string | number,
): string | number | null {
  if (unit !== "usd") return Number(amount) > Number(other) ? Number(amount) - Number(other) : null;
  const nanos = (parseUsd(String(amount)) ?? 0n) - (parseUsd(String(other)) ?? 0n);
  return nanos > 0n ? formatUsd(nanos) : null;
}

/** What a budget has counted beyond its limit. Null: nothing, or its counters are several. */
export function overOf(budget: Budget): string | number | null {
  return budget.spent === null ? null : above(budget, budget.spent, limitOf(budget));
}

export function limitOf({ unit, limit, increase }: Budget): string {
  if (unit !== "usd") return String(Number(limit) + Number(increase));
  return formatUsd((parseUsd(String(limit)) ?? 0n) + (parseUsd(String(increase)) ?? 0n));
}

/** How full a budget is. Of several counters it is the fullest. */
export function usedOf(budget: CountedBudget) {
  const { spent, reserved, counters } = budget;
  const limit = limitOf(budget);
  if (spent !== null && reserved !== null) {
    return <UsedOf spent={String(spent)} held={String(reserved)} limit={limit} />;
  }
  if (counters?.unread) return <UnreadFigure of={counters.unread} />;
  const [fullest] = (counters?.groups ?? []).toSorted((one, other) => takenOf(other) - takenOf(one));
  if (fullest === undefined) return <span class="quiet">Nothing yet</span>;
  return (
    <>
      <UsedOf spent={String(fullest.spent)} held={String(fullest.reserved)} limit={limit} />
      <span class="sub">
        {counters?.isAll === true ? "the fullest: " : `the fullest of ${MOST_COUNTERS}: `}
        <Behind href={runsBehindGroup(budget, fullest)}>{fullest.group ?? "none"}</Behind>
      </span>
    </>
  );
}

const takenOf = ({ spent, reserved }: BudgetGroup): number => Number(spent) + Number(reserved);

/** What was spent or is reserved, in all counters together. */
export function sumOf(budget: CountedBudget, which: "spent" | "reserved"): string | number | null {
  const { counters, unit } = budget;
  const own = budget[which];
  if (own !== null || counters === undefined || !counters.isAll) return own;
  const amounts = counters.groups.map((group) => group[which]);
  if (unit !== "usd") return amounts.reduce<number>((sum, some) => sum + Number(some), 0);
  return formatUsd(amounts.reduce((sum, some) => sum + (parseUsd(String(some)) ?? 0n), 0n));
}

/** Null: no filter finds the runs that it counts. */
function runsBehind(budget: Budget): string | null {
  if (!countsEarlier(budget)) return runsChargedTo(budget.id, budget);
  const ask = daysAskOf(budget);
  return ask?.isExact === true ? runsChargedSince(ask.filter, budget) : null;
}

export function spentOf(budget: CountedBudget) {
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
