import { readInParts } from "../../storage/json-rows.ts";
import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import type { ListQuery } from "../../contract/list.ts";
import { encodeCursor } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { SPENT_PERIODS } from "../../contract/lists.ts";
import type { CreditPack } from "../../contract/resources/credit-packs.ts";
import type { CustomerStanding } from "../../contract/resources/customers.ts";
import { asCount } from "../../domain/price/count.ts";
import { publishedPeriod } from "../../domain/refusal/limit-denials.ts";
import { type Account, roomOf, zoneOf } from "../../domain/meter/meter.ts";
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
import { type CustomerRow, loadCustomers, showRevenue } from "./store.ts";
import { matchRank } from "../../domain/text/match-rank.ts";
import { iso } from "../../domain/time/iso.ts";

type DayRow = readonly [day: string, usd: string, runs: number, tokens: number];

/** How a customer stands now. `days` is null where the caller may not know what customers pay. */
export function standingOf(
  view: CheckpointedView,
  customerId: string,
  days: EarnedDays | null,
): CustomerStanding {
  const [one] = standingsOf(view, [customerId], days);
  if (one === undefined) throw new Error("a customer has a standing");
  return one;
}

/** How each of these customers stands. Each statement reads what it can of all of them. */
function standingsOf(
  view: CheckpointedView,
  ids: readonly string[],
  days: EarnedDays | null,
): CustomerStanding[] {
  const { sql, now: atMs } = view;
  const rows = loadCustomers(sql, ids);
  const accounts = new UnitOfWork(sql, "run", atMs).load(
    ids.map((customer) => ({ scopes: { customer }, atMs })),
  );
  const packs = packsOf(view, ids);
  const spent = spentOf(view, ids);
  const lastDays = lastDaysOf(view, ids);
  const costs = days === null ? null : costsOf(view, [...rows.values()], days);
  return ids.map((id, at) => {
    const own = accounts[at] ?? [];
    const row = rows.get(id) ?? null;
    return {
      customer_id: id,
      name: row?.name ?? null,
      ...(days === null ? {} : revenueAndMargin(view, row, { cost: costs?.get(id) ?? 0n, days })),
      spent: spent(id),
      limits: limitsAmong(own),
      credits: creditsOf(own, packs.get(id) ?? []),
      last_run_on: lastDays.get(id) ?? null,
    };
  });
}

function limitsAmong(accounts: readonly Account[]): CustomerStanding["limits"] {
  const limits = accounts.filter(
    (account): account is MeterAccount => account.meter.kind === "customer_limit",
  );
  return limits.map((entry) => ({
    id: entry.meter.id,
    period: entry.meter.window.kind === "period" ? entry.meter.window.period : "day",
    limit_usd: formatUsd(entry.meter.limit ?? 0n),
    ...limitAmounts(entry),
    ...publishedPeriod(entry),
    resets_at: entry.window.endMs === null ? null : formatInZone(zoneOf(entry.meter), entry.window.endMs),
  }));
}

function creditsOf(accounts: readonly Account[], packs: readonly CreditPack[]): CustomerStanding["credits"] {
  if (packs.length === 0) return null;
  const pool = accounts.find(({ meter }) => meter.kind === "credits");
  return { remaining_usd: formatUsd(pool === undefined ? 0n : (roomOf(pool) ?? 0n)), packs: [...packs] };
}

/** Returns what a customer pays, and what is left of that after its cost. */
function revenueAndMargin(
  view: CheckpointedView,
  row: CustomerRow | null,
  { cost, days }: { readonly cost: bigint; readonly days: EarnedDays },
) {
  const revenue = showRevenue(row);
  if (row === null || revenue === null) return { revenue: null, revenue_usd: null, margin_usd: null };
  const nanos = revenueOf(toRevenue(row), untilToday({ ...days, timeZone: "UTC" }, view.now), cost);
  return { revenue, revenue_usd: formatUsd(nanos), margin_usd: formatUsd(nanos - cost) };
}

/** What customers cost in these days. Only those that pay have their costs read. */
function costsOf(
  view: CheckpointedView,
  rows: readonly CustomerRow[],
  { fromMs, toMs }: EarnedDays,
): ReadonlyMap<string, bigint> {
  const paying = rows.filter((row) => showRevenue(row) !== null).map(({ customer_id: id }) => id);
  const read = daysFrom(view, paying, fromMs);
  return new Map(
    Array.from(read, ([id, all]) => {
      const within = all.filter(([day]) => Date.parse(day) < toMs);
      return [id, within.reduce((cost, [, usd]) => cost + BigInt(usd), 0n)];
    }),
  );
}

/** The days of each of these customers from one on. A row with all of them is read several times faster than a row for each. */
function daysFrom(
  { sql }: CheckpointedView,
  ids: readonly string[],
  fromMs: number,
): ReadonlyMap<string, readonly DayRow[]> {
  const rows = readInParts(ids, (json) =>
    sql.exec<{ id: string; days: string }>(
      `SELECT k.value AS id, json_group_array(json_array(d.day, d.usd, d.runs, d.tokens)) AS days
       FROM json_each(?) AS k JOIN ${DAILY_USAGE.in(sql)} AS d
         ON d.scope_kind = 'customer' AND d.scope_id = k.value AND d.day >= ? GROUP BY k.key`,
      json,
      iso(fromMs).slice(0, 10),
    ),
  );
  return new Map(rows.map(({ id, days }) => [id, JSON.parse(days) as DayRow[]]));
}

/** Packs that can be drawn from, now or later, of each of these customers: the newest first. */
function packsOf(view: CheckpointedView, ids: readonly string[]): ReadonlyMap<string, readonly CreditPack[]> {
  const rows = readInParts(ids, (json) =>
    view.sql.exec<MeterRow>(
      `SELECT m.* FROM json_each(?) AS k JOIN meters AS m ON m.id IN (
         SELECT id FROM meters WHERE scope_kind = 'customer' AND scope_id = k.value AND kind = 'credit_pack'
         ORDER BY since DESC LIMIT ?) ORDER BY m.since DESC`,
      json,
      MOST_PACKS,
    ),
  );
  const packs = rows.map((row) => ({ id: row.scope_id, pack: toCreditPack(view, row) }));
  const open = packs.filter(({ pack: { status } }) => status === "live" || status === "scheduled");
  return new Map(
    Array.from(
      Map.groupBy(open, ({ id }) => id),
      ([id, of]) => [id, of.map(({ pack }) => pack)],
    ),
  );
}

const MOST_PACKS = 200;

/** From the daily sums, which outlive the runs. */
function spentOf(view: CheckpointedView, ids: readonly string[]): (id: string) => CustomerStanding["spent"] {
  const windows = SPENT_PERIODS.map((period) => ({ period, window: windowAt(period, view.now) }));
  const firstMs = Math.min(...windows.map(({ window }) => window.startMs));
  const days = daysFrom(view, ids, firstMs);
  return (id) =>
    windows.map(({ period, window }) => {
      let [spent, runs, tokens] = [0n, 0, 0];
      for (const [day, usd, some, used] of days.get(id) ?? []) {
        const at = Date.parse(day);
        if (at < window.startMs || (window.endMs !== null && at >= window.endMs)) continue;
        spent += BigInt(usd);
        runs += some;
        tokens += used;
      }
      const end = iso(window.endMs);
      const figures = { spent_usd: formatUsd(spent), runs, tokens: asCount(tokens) };
      return { period, period_start: iso(window.startMs), period_end: end, ...figures };
    });
}

/** The last day on which each of these customers had a run. */
function lastDaysOf({ sql }: CheckpointedView, ids: readonly string[]): ReadonlyMap<string, string | null> {
  const rows = readInParts(ids, (json) =>
    sql.exec<{ id: string; day: string | null }>(
      `SELECT k.value AS id, (SELECT day FROM ${DAILY_USAGE.in(sql)}
         WHERE scope_kind = 'customer' AND scope_id = k.value AND runs > 0 ORDER BY day DESC LIMIT 1) AS day
       FROM json_each(?) AS k`,
      json,
    ),
  );
  return new Map(rows.map(({ id, day }) => [id, day]));
}

/** Which customers, in the order of ids. */
interface IdRange {
  /** Not included. */
  readonly after?: string | undefined;
  /** How the ids begin, in place of `after`. */
  readonly beginning?: string;
  readonly descending?: boolean;
}

const LAST_CHARACTER = "\u{10FFFF}";

/**
 * The first customers of a range, in the order of ids: those that have spent, have a limit or pack of their own, or were set.
 * `"*"` stands for all and is none.
 */
function customersIn(
  sql: CheckpointedSql,
  { after, beginning, descending = false }: IdRange,
  most: number,
): string[] {
  const days = DAILY_USAGE.in(sql);
  const least = beginning === undefined ? "> ?1" : ">= ?1";
  const order = descending ? "DESC" : "ASC";
  const next = (from: string, to: string) =>
    `(SELECT ${descending ? "MAX" : "MIN"}(scope_id) FROM ${days}
      WHERE scope_kind = 'customer' AND scope_id ${from} AND scope_id ${to})`;
  const following = descending ? next(least, "< spenders.id") : next("> spenders.id", "< ?3");
  return sql
    .exec<{ id: string }>(
      `WITH RECURSIVE spenders (id) AS (
         SELECT ${next(least, "< ?3")} UNION ALL SELECT ${following} FROM spenders WHERE id IS NOT NULL LIMIT ?2)
       SELECT id FROM (
         SELECT id FROM spenders WHERE id IS NOT NULL
         UNION SELECT * FROM (SELECT DISTINCT scope_id FROM meters
           WHERE scope_kind = 'customer' AND scope_id ${least} AND scope_id < ?3 ORDER BY scope_id ${order} LIMIT ?2)
         UNION SELECT * FROM (SELECT customer_id FROM customers
           WHERE customer_id ${least} AND customer_id < ?3 ORDER BY customer_id ${order} LIMIT ?2))
       WHERE id <> '*' ORDER BY id ${order} LIMIT ?2 - 1`,
      beginning ?? (descending ? "" : (after ?? "")),
      most + 1,
      descending && after !== undefined ? after : `${beginning ?? ""}${LAST_CHARACTER}`,
    )
    .toArray()
    .map(({ id }) => id);
}

/** Customers whose name has a text in it or whose id begins with it. First the one with that id, then those of that name. */
function findCustomers(sql: CheckpointedSql, text: string, most: number): readonly string[] {
  const byId = customersIn(sql, { beginning: text }, most);
  const names = namesWith(sql, text.toLowerCase());
  const places = new Map(byId.map((id): [string, number] => [id, id === text ? EXACT_ID : 1]));
  for (const { id, place } of names) places.set(id, Math.min(place, places.get(id) ?? place));
  return Array.from(places)
    .toSorted(([id, place], [other, otherPlace]) => place - otherPlace || (id < other ? -1 : 1))
    .slice(0, most)
    .map(([id]) => id);
}

/** Before the ranks of names. */
const EXACT_ID = -1;

function namesWith(sql: CheckpointedSql, text: string): { readonly id: string; readonly place: number }[] {
  // SQLite knows upper and lower case of ASCII only.
  const rows = sql.exec<{ id: string; name: string }>(
    `SELECT customer_id AS id, name FROM customers
     WHERE name IS NOT NULL AND (instr(lower(name), ?) > 0 OR name GLOB '*[^ -~]*')`,
    text,
  );
  return Array.from(rows).flatMap(({ id, name }) => {
    const place = matchRank(name, text);
    return place === null ? [] : [{ id, place }];
  });
}

export const listCustomers = query({
  refuses: [],
  run(view, { list: input, days }: { list: ListQuery; days: EarnedDays | null }) {
    const { contains } = input.filters;
    if (contains !== undefined) {
      const found = findCustomers(view.sql, contains, input.limit);
      return { data: standingsOf(view, found, days), next_cursor: null };
    }
    const { descending } = input.sort;
    const ids = customersIn(view.sql, { after: input.after?.id, descending }, input.limit + 1);
    const shown = ids.slice(0, input.limit);
    const last = shown.at(-1);
    const next_cursor =
      ids.length > shown.length && last !== undefined ? encodeCursor(input, { value: last, id: last }) : null;
    return { data: standingsOf(view, shown, days), next_cursor };
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
