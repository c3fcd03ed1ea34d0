import type { LimitsInUse } from "../../contract/resources/limits.ts";
import { leastOfLargest } from "../../domain/usage-report/largest.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { sumHeldAfter } from "../decisions/open-holds.ts";
import { query } from "../kernel/door.ts";
import { type LimitRow, limitRows, toLimit } from "./rows.ts";

/** All limits of the org, whatever their kind: the ones that run out next come first. */
export const listLimits = query({
  refuses: [],
  run(view, { limit }: { limit: number }): LimitsInUse {
    const { rows, count } = limitRows(view, limit);
    return {
      reserved_usd: formatUsd(sumHeldAfter(view.sql, view.now)),
      count,
      data: firstOf(rows, limit).map(toLimit),
    };
  },
});

function firstOf(rows: readonly LimitRow[], most: number): LimitRow[] {
  const latestMs = -leastOfLargest(
    rows.map((row) => -endOf(row)),
    most,
  );
  return rows
    .filter((row) => endOf(row) <= latestMs)
    .sort((one, other) => endOf(one) - endOf(other) || other.used - one.used || 0)
    .slice(0, most);
}

const endOf = ({ runsOutMs }: LimitRow): number => runsOutMs ?? Infinity;
