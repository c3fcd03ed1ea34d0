import type { SummaryGroup } from "../../contract/kept-refusals.ts";
import { encodeCursor, type ListQuery } from "../../contract/list.ts";
import { invalidField } from "../../contract/refusal.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { countsOf, OTHER, type RefusalSum, RefusalSums } from "../../domain/refusal/sums.ts";
import { query, type View } from "../kernel/door.ts";
import { findRefusals, type RefusalFilter } from "./find.ts";
import { toRefusal } from "./show.ts";
import { addBatch, GROUPS_PER_HOUR, sumsOfHour } from "./hours.ts";
import { type BatchRow, batchOf, totalsOf } from "./store.ts";

const FILTERS = {
  trace_id: "trace",
  code: "code",
  customer_id: "customerId",
  workflow_id: "workflowId",
  key_id: "keyId",
  limit_id: "limit",
} as const satisfies Record<string, keyof RefusalFilter["filters"]>;

export const listRefusals = query({
  refuses: [],
  readsRefusals: true,
  run(view, input: ListQuery) {
    const { from, to, ...named } = input.filters;
    const filters = Object.entries(named).map(([name, value]) => [
      FILTERS[name as keyof typeof FILTERS],
      value,
    ]);
    const { refusals, next } = findRefusals(view.sql, {
      filters: Object.fromEntries(filters) as RefusalFilter["filters"],
      from: from === undefined ? 0 : Number(from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : Number(to),
      after: input.after === null ? null : { at: Number(input.after.value), id: input.after.id },
      limit: input.limit,
    });
    return {
      data: refusals.map(toRefusal),
      next_cursor: next === null ? null : encodeCursor(input, { value: next.at, id: next.id }),
    };
  },
});

interface SummaryAsk {
  readonly from: number;
  readonly to: number;
  readonly groupBy: SummaryGroup | null;
}

const MOST_ROWS = 10_000;

const GROUPS: Readonly<Record<SummaryGroup, (sum: RefusalSum) => string | null>> = {
  code: ({ code }) => code,
  limit: ({ limit }) => limit,
  customer_id: ({ customerId }) => customerId,
  workflow_id: ({ workflowId }) => workflowId,
  key_id: ({ keyId }) => keyId,
};

/** Exact counts by hour: from the stored sums, and from the rows that are not in them yet. */
export const summarizeRefusals = query({
  refuses: ["validation_failed"],
  readsRefusals: true,
  run(view, input: SummaryAsk) {
    const { from, to, groupBy } = input;
    const lines = new Map<string, { hour: number; group: string | null; count: number; nanos: bigint }>();
    for (const sum of sumsIn(view, from, to)) {
      const group = groupBy === null ? null : GROUPS[groupBy](sum);
      const key = `${sum.hour}\n${group ?? ""}`;
      const line = lines.get(key) ?? { hour: sum.hour, group, count: 0, nanos: 0n };
      lines.set(key, { ...line, count: countsOf(line.count, sum.count), nanos: line.nanos + sum.nanos });
    }
    if (lines.size > MOST_ROWS) {
      const message = `gives more than ${MOST_ROWS} lines; choose a shorter range or another group_by`;
      return invalidField("to", "out_of_range", message);
    }
    const all = [...lines.values()].sort((one, other) => other.hour - one.hour || other.count - one.count);
    const total = all.reduce((sum, { count }) => countsOf(sum, count), 0);
    const nanos = all.reduce((sum, line) => sum + line.nanos, 0n);
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      group_by: groupBy,
      count: total,
      amount_usd: formatUsd(nanos),
      data: all.map((line) => ({
        hour: new Date(line.hour).toISOString(),
        group: line.group === OTHER ? null : line.group,
        is_other: line.group === OTHER,
        count: line.count,
        amount_usd: formatUsd(line.nanos),
      })),
    };
  },
});

function* sumsIn({ sql }: View, from: number, to: number): Generator<RefusalSum> {
  const hours = sql
    .exec<{ hour: number }>("SELECT DISTINCT hour FROM refusal_hours WHERE hour >= ? AND hour < ?", from, to)
    .toArray();
  for (const { hour } of hours) yield* sumsOfHour(sql, hour);
  const fresh = new RefusalSums(GROUPS_PER_HOUR);
  const rows = sql.exec<BatchRow>("SELECT * FROM refusal_batches WHERE seq > ?", totalsOf(sql).summedSeq);
  for (const row of rows) addBatch(fresh, batchOf(row));
  for (const sum of fresh.entries()) if (sum.hour >= from && sum.hour < to) yield sum;
}
