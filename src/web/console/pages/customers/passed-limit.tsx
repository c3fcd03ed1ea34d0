import type { Child } from "hono/jsx";
import { Usd } from "../../view/money.tsx";
import { subtractAmounts } from "../budgets/budget-counters.tsx";
import { OverNotice } from "../over-limit.tsx";

/** A limit of a customer, in one period. */
interface CountedLimit {
  readonly id: string;
  /** Null: it is counted for each customer. */
  readonly spent_usd: string | null;
  readonly limit_usd: string;
  readonly over_usd: string | null;
  readonly period_start: string;
}

/** The spend beyond a limit. Null: nothing. */
function overOf({ spent_usd, limit_usd }: CountedLimit): string | null {
  return spent_usd === null
    ? null
    : (subtractAmounts({ unit: "usd" }, spent_usd, limit_usd) as string | null);
}

export function OverBy({ of }: { of: CountedLimit }) {
  const over = overOf(of);
  if (over === null) return null;
  return (
    <span class="sub">
      <Usd of={over} /> over
    </span>
  );
}

/** Why a limit is passed. Null: it is not. */
export function passedLimitNotice(
  limit: CountedLimit & { readonly period_end?: string | null },
  filter: Readonly<Record<string, string>> = {},
): Child {
  const passedBy = overOf(limit);
  if (passedBy === null) return null;
  const { id, period_start, period_end = null, over_usd: over } = limit;
  return (
    <OverNotice of={{ id, period_start, period_end, passedBy, over, filter }}>
      <Usd of={passedBy} />
    </OverNotice>
  );
}
