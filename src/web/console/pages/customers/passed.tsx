import type { Child } from "hono/jsx";
import { Usd } from "../../view/money.tsx";
import type { Visit } from "../../visit.ts";
import { above } from "../budgets/budget-counters.tsx";
import { overNotice } from "../over-limit.tsx";

/** A limit of a customer, in one period. */
interface CountedLimit {
  readonly id: string;
  /** Null: it is counted for each customer. */
  readonly spent_usd: string | null;
  readonly limit_usd: string;
  readonly period_start: string;
}

/** What was spent beyond a limit. Null: nothing. */
function overOf({ spent_usd, limit_usd }: CountedLimit): string | null {
  return spent_usd === null ? null : (above({ unit: "usd" }, spent_usd, limit_usd) as string | null);
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
export async function passedNotice(
  visit: Visit,
  limit: CountedLimit & { readonly period_end?: string | null },
  filter: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const over = overOf(limit);
  if (over === null) return null;
  const { id, period_start, period_end = null } = limit;
  return overNotice(visit, { id, period_start, period_end, over, filter }, <Usd of={over} />);
}
