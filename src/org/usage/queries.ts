import { readRows } from "../../storage/read-rows.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { asCount } from "../../domain/price/count.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { query, type CheckpointedView } from "../kernel/door.ts";

export { sumUsage } from "./report.ts";
export { listUsageNames } from "./names.ts";
export { topUsage } from "./top.ts";

/** The spend by day and by scope: read from the daily sums, never from the runs. */

interface Range {
  readonly fromDay: string;
  /** Exclusive. */
  readonly toDay: string;
}

type Row = { scope_id: string; day: string; usd: string; runs: number; tokens: number };

interface Sum {
  usd: bigint;
  runs: number;
  tokens: number;
}

const MOST_NAMES = 50;

function rowsOf(view: CheckpointedView, kind: string, { fromDay, toDay }: Range): Row[] {
  const rows = view.sql.exec<Row>(
    `SELECT scope_id, day, usd, runs, tokens FROM ${DAILY_USAGE.in(view.sql)}
     WHERE scope_kind = ? AND day >= ? AND day < ? ORDER BY day`,
    kind,
    fromDay,
    toDay,
  );
  return [...readRows(rows)];
}

function figures({ usd, runs, tokens }: Sum) {
  return { cost_usd: formatUsd(usd), runs, tokens: asCount(tokens) };
}

function ranked(view: CheckpointedView, kind: string, range: Range) {
  const sums = new Map<string, Sum>();
  for (const row of rowsOf(view, kind, range)) {
    const sum = sums.get(row.scope_id) ?? { usd: 0n, runs: 0, tokens: 0 };
    sums.set(row.scope_id, {
      usd: sum.usd + BigInt(row.usd),
      runs: sum.runs + row.runs,
      tokens: sum.tokens + row.tokens,
    });
  }
  return [...sums]
    .toSorted(([, a], [, b]) => (a.usd === b.usd ? 0 : a.usd > b.usd ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(([name, sum]) => ({ name, ...figures(sum) }));
}

export const readUsage = query({
  refuses: [],
  run: (view, input: Range) => ({
    by_day: rowsOf(view, "org", input).map(({ day, usd, ...rest }) => ({
      date: day,
      ...figures({ ...rest, usd: BigInt(usd) }),
    })),
    by_model: ranked(view, "model", input),
    by_workflow: ranked(view, "workflow", input),
  }),
});
