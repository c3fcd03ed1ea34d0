import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import type { ListQuery } from "../../contract/list.ts";
import { encodeCursor } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { SPENT_PERIODS } from "../../contract/lists.ts";
import type { CustomerStanding } from "../../contract/resources/customers.ts";
import { asCount } from "../../domain/price/count.ts";
import { publishedPeriod } from "../../domain/refusal/limit-denials.ts";
import { roomOf, zoneOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { windowAt } from "../../domain/time/period.ts";
import { type EarnedDays, revenueOf, toRevenue, untilToday } from "../../domain/price/revenue.ts";
import { formatInZone } from "../../domain/time/zone.ts";
import { toCreditPack } from "../credit-packs/show.ts";
import { query, type CheckpointedView } from "../kernel/door.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { limitAmounts } from "../meters/show.ts";
import type { MeterRow } from "../meters/store.ts";
import type { MeterAccount } from "../meters/usage.ts";
import { pageOfRuns } from "../runs/list/page.ts";
import { countCharactersApart } from "../runs/long-metadata.ts";
import { replacedRuns } from "../runs/replacements.ts";
import { type CustomerRow, loadCustomer, showRevenue } from "./store.ts";

type DayRow = { day: string; usd: string; runs: number; tokens: number };

const iso = (ms: number) => new Date(ms).toISOString();

/** How a customer stands now. `days` is null where the caller may not know what customers pay. */
export function standingOf(
  view: CheckpointedView,
  customerId: string,
  days: EarnedDays | null,
): CustomerStanding {
  const row = loadCustomer(view.sql, customerId);
  const accounts = new UnitOfWork(view.sql, "run", view.now).accounts({
    scopes: { customer: customerId },
    atMs: view.now,
  });
  const limits = accounts.filter(
    (account): account is MeterAccount => account.meter.kind === "customer_limit",
  );
  const packs = packsOf(view, customerId);
  const pool = accounts.find(({ meter }) => meter.kind === "credits");
  return {
    customer_id: customerId,
    name: row?.name ?? null,
    ...(days === null ? {} : revenueAndMargin(view, row, { customerId, days })),
    spent: spentOf(view, customerId),
    limits: limits.map((entry) => ({
      id: entry.meter.id,
      period: entry.meter.window.kind === "period" ? entry.meter.window.period : "day",
      limit_usd: formatUsd(entry.meter.limit ?? 0n),
      ...limitAmounts(entry),
      ...publishedPeriod(entry),
      resets_at: entry.window.endMs === null ? null : formatInZone(zoneOf(entry.meter), entry.window.endMs),
    })),
    credits:
      packs.length === 0
        ? null
        : { remaining_usd: formatUsd(pool === undefined ? 0n : (roomOf(pool) ?? 0n)), packs },
    last_run_on: lastDayOf(view, customerId),
  };
}

/**
 * Returns what a customer pays, and what is left of that after its cost. Only customers that pay have their costs read.
 */
function revenueAndMargin(
  view: CheckpointedView,
  row: CustomerRow | null,
  { customerId, days }: { readonly customerId: string; readonly days: EarnedDays },
) {
  const revenue = showRevenue(row);
  if (row === null || revenue === null) return { revenue: null, revenue_usd: null, margin_usd: null };
  let cost = 0n;
  for (const { usd, day } of daysFrom(view, customerId, days.fromMs)) {
    if (Date.parse(day) < days.toMs) cost += BigInt(usd);
  }
  const nanos = revenueOf(toRevenue(row), untilToday({ ...days, timeZone: "UTC" }, view.now), cost);
  return { revenue, revenue_usd: formatUsd(nanos), margin_usd: formatUsd(nanos - cost) };
}

function daysFrom(view: CheckpointedView, customerId: string, fromMs: number): DayRow[] {
  return view.sql
    .exec<DayRow>(
      `SELECT day, usd, runs, tokens FROM ${DAILY_USAGE.in(view.sql)}
       WHERE scope_kind = 'customer' AND scope_id = ? AND day >= ?`,
      customerId,
      iso(fromMs).slice(0, 10),
    )
    .toArray();
}

/** Packs that can be drawn from, now or later. */
function packsOf(view: CheckpointedView, customerId: string) {
  return view.sql
    .exec<MeterRow>(
      `SELECT * FROM meters WHERE scope_kind = 'customer' AND scope_id = ? AND kind = 'credit_pack'
       ORDER BY since DESC LIMIT ?`,
      customerId,
      MOST_PACKS,
    )
    .toArray()
    .map((row) => toCreditPack(view, row))
    .filter(({ status }) => status === "live" || status === "scheduled");
}

const MOST_PACKS = 200;

/** From the daily sums, which outlive the runs. */
function spentOf(view: CheckpointedView, customerId: string): CustomerStanding["spent"] {
  const windows = SPENT_PERIODS.map((period) => ({ period, window: windowAt(period, view.now) }));
  const firstMs = Math.min(...windows.map(({ window }) => window.startMs));
  const rows = daysFrom(view, customerId, firstMs);
  return windows.map(({ period, window }) => {
    let [usd, runs, tokens] = [0n, 0, 0];
    for (const row of rows) {
      const at = Date.parse(row.day);
      if (at < window.startMs || (window.endMs !== null && at >= window.endMs)) continue;
      usd += BigInt(row.usd);
      runs += row.runs;
      tokens += row.tokens;
    }
    const end = window.endMs === null ? null : iso(window.endMs);
    const figures = { spent_usd: formatUsd(usd), runs, tokens: asCount(tokens) };
    return { period, period_start: iso(window.startMs), period_end: end, ...figures };
  });
}

function lastDayOf(view: CheckpointedView, customerId: string): string | null {
  const [row] = view.sql
    .exec<{ day: string | null }>(
      `SELECT day FROM ${DAILY_USAGE.in(view.sql)} WHERE scope_kind = 'customer' AND scope_id = ? AND runs > 0
       ORDER BY day DESC LIMIT 1`,
      customerId,
    )
    .toArray();
  return row?.day ?? null;
}

/** Every customer that has spent, has a limit or pack of its own, or was set. `"*"` stands for all and is none. */
function nextCustomer(sql: CheckpointedSql, after: string): string | null {
  const { id } = sql
    .exec<{ id: string | null }>(
      `SELECT MIN(id) AS id FROM (
         SELECT MIN(scope_id) AS id FROM ${DAILY_USAGE.in(sql)} WHERE scope_kind = 'customer' AND scope_id > ?1
         UNION ALL
         SELECT MIN(scope_id) FROM meters WHERE scope_kind = 'customer' AND scope_id > ?1 AND scope_id <> '*'
         UNION ALL
         SELECT MIN(customer_id) FROM customers WHERE customer_id > ?1)`,
      after,
    )
    .one();
  return id;
}

export const listCustomers = query({
  refuses: [],
  run(view, { list: input, days }: { list: ListQuery; days: EarnedDays | null }) {
    const ids: string[] = [];
    let after = input.after?.id ?? "";
    while (ids.length <= input.limit) {
      const next = nextCustomer(view.sql, after);
      if (next === null) break;
      if (next !== "*") ids.push(next);
      after = next;
    }
    const shown = ids.slice(0, input.limit);
    const last = shown.at(-1);
    const next_cursor =
      ids.length > shown.length && last !== undefined ? encodeCursor(input, { value: last, id: last }) : null;
    return { data: shown.map((id) => standingOf(view, id, days)), next_cursor };
  },
});

/** With its last run, while that is stored. */
function detailOf(view: CheckpointedView, customerId: string, days: EarnedDays | null) {
  const newest: ListQuery = {
    limit: 1,
    sort: { field: "started_at", descending: true },
    after: null,
    filters: { customer_id: customerId },
    scope: "",
  };
  const [run] = pageOfRuns(view.sql, newest, {
    apartOf: countCharactersApart,
    without: replacedRuns(view.sql),
  }).runs;
  const last_run =
    run === undefined
      ? null
      : { id: run.id, started_at: iso(run.startedAt), model: run.model, cost_usd: formatUsd(run.cost) };
  return { ...standingOf(view, customerId, days), last_run };
}

export const getCustomer = query({
  refuses: ["not_found"],
  run(view, input: { customerId: string; isOwn: boolean; days: EarnedDays | null }) {
    const { customerId, isOwn, days } = input;
    const isKnown = customerId !== "*" && (isOwn || isCustomer(view.sql, customerId));
    return isKnown ? detailOf(view, customerId, days) : refuse("not_found");
  },
});

export function isCustomer(sql: CheckpointedSql, id: string): boolean {
  const rows = sql.exec(
    `SELECT 1 FROM ${DAILY_USAGE.in(sql)} WHERE scope_kind = 'customer' AND scope_id = ?1
     UNION ALL SELECT 1 FROM meters WHERE scope_kind = 'customer' AND scope_id = ?1
     UNION ALL SELECT 1 FROM customers WHERE customer_id = ?1 LIMIT 1`,
    id,
  );
  return rows.toArray().length > 0;
}
