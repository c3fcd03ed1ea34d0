import { isRefusal } from "../../contract/refusal.ts";
import { DAY_MS } from "../../contract/durations.ts";
import type { DigestFacts } from "../../domain/digest/digest.ts";
import { digestDays } from "../../domain/digest/schedule.ts";
import { dateOfDay, dayOf } from "../../domain/forecast/series.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { CheckpointedView } from "../kernel/door.ts";
import { listLimits } from "../limits/queries.ts";
import { summarizeRefusals } from "../refusals/queries.ts";
import { readHours } from "../unusual/hours.ts";
import { sensitivityOf } from "../unusual/settings.ts";
import { readSubjects } from "../unusual/subjects.ts";
import { topUsage } from "../usage/queries.ts";
import { type DigestRow, timeOf } from "./store.ts";

const LOOKED_AT = 100;

const NOTHING_SPENT = { cost_usd: formatUsd(0n), previous_cost_usd: formatUsd(0n) };

/** The facts of the period that was over at a moment. */
export function factsOf(view: CheckpointedView, row: DigestRow, atMs: number): DigestFacts {
  const days = digestDays(timeOf(row), atMs);
  const range = {
    sort: "cost_usd" as const,
    limit: LOOKED_AT,
    contains: "",
    showsRevenue: false,
    from: dateOfDay(days.from),
    to: dateOfDay(days.to),
    previousFrom: dateOfDay(days.previousFrom),
    previousTo: dateOfDay(days.from),
  };
  const models = topUsage.run(view, { ...range, by: "model" });
  const customers = topUsage.run(view, { ...range, by: "customer_id" });
  const limits = listLimits.run(view, { limit: LOOKED_AT });
  const read = { from: days.from, to: days.to - 1 };
  return {
    name: row.name,
    days,
    today: dayOf(view.now),
    sensitivity: sensitivityOf(view.sql),
    totals: isRefusal(models) ? NOTHING_SPENT : models.totals,
    models: isRefusal(models) ? [] : models.data,
    customers: isRefusal(customers) ? [] : customers.data,
    limits: isRefusal(limits) ? [] : limits.data,
    refusals: refusalsIn(view, days.from * DAY_MS, days.to * DAY_MS),
    subjects: readSubjects(view, read, readHours(view.sql)),
  };
}

function refusalsIn(view: CheckpointedView, from: number, to: number): DigestFacts["refusals"] {
  const summary = summarizeRefusals.run(view, { from, to, groupBy: "code" });
  if (isRefusal(summary)) return [];
  const counts = new Map<string, number>();
  for (const { group, count } of summary.data) {
    counts.set(group ?? "other", (counts.get(group ?? "other") ?? 0) + count);
  }
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count);
}
