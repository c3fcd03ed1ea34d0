import { DAILY_USAGE } from "../runs/daily.ts";
import type { Trait } from "../../contract/dimensions.ts";
import { DAY_MS } from "../../contract/durations.ts";
import type { BudgetState, DayUsage, ScopeUsage } from "../../domain/forecast/budgets.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { type MatchPart, prefixOf } from "../../domain/meter/match.ts";
import { countsApart, type Meter, roomOf } from "../../domain/meter/meter.ts";
import { FORECAST_MEMORY_DAYS } from "../../domain/run/retention.ts";
import { groupText } from "../../domain/meter/traits.ts";
import { DAILY_KINDS } from "../../domain/usage-report/daily.ts";
import type { CheckpointedView } from "../kernel/door.ts";
import { type MeterRow, toMeter } from "../meters/store.ts";
import { LEAST_READ } from "../meters/largest-counters.ts";
import { countersOf, LIMITS_PER_METER } from "../meters/subjects.ts";
import { loadUsage, type MeterAccount, newEntry, USAGE } from "../meters/usage.ts";

export const NANOS_PER_USD = 1e9;
const NOTHING: ScopeUsage = { days: [], budgets: [] };

/**
 * Returns what a budget that matches calls has to do with, in dollars. If it matches by one name that daily sums are
 * kept for, its days are those sums. Otherwise they are its share, so far, of the days of such a name or of the org. Of
 * several counters it is the fullest.
 */
export function matchUsage(view: CheckpointedView, id: string): ScopeUsage {
  const meter = matchMeter(view, id);
  return meter === null ? NOTHING : usageOf(view, meter, fullest(view, meter));
}

/** The days of one counter, for a list of limits, which names each of them. */
export function matchDays(view: CheckpointedView, id: string, group: string | null): readonly DayUsage[] {
  const meter = matchMeter(view, id);
  if (meter === null) return [];
  if (!countsApart(meter)) return usageOf(view, meter, "").days;
  // Only the first limits have forecasts, so it is usually among the few that are in memory.
  const isIts = (one: string) => groupText(one) === group;
  const subject =
    largest(view, meter, LEAST_READ).find(isIts) ?? largest(view, meter, LIMITS_PER_METER).find(isIts);
  return subject === undefined ? [] : usageOf(view, meter, subject).days;
}

function matchMeter(view: CheckpointedView, id: string): Meter | null {
  const [row] = view.sql
    .exec<MeterRow>(
      `SELECT * FROM meters WHERE id = ? AND kind = 'budget' AND scope_kind = 'match'
         AND IFNULL(extra ->> 'unit', 'usd') = 'usd'`,
      id,
    )
    .toArray();
  return row === undefined ? null : toMeter(row, view.now);
}

function usageOf(view: CheckpointedView, meter: Meter, subject: string): ScopeUsage {
  const { parts = [], groupBy = [] } = meter.match ?? {};
  const part = parts.find(({ trait }) => DAILY_KINDS.has(trait)) ?? null;
  const days = daysOf(view, part);
  const isExact = groupBy.length === 0 && parts.length === (part === null ? 0 : 1);
  const share = isExact ? 1 : shareOf(view, meter, { subject, days });
  return {
    days: days.map(({ day, usd, runs, tokens }) => ({
      day,
      usd: usd * share,
      runs: runs * share,
      tokens: tokens * share,
    })),
    budgets: statesOf(view, [newEntry(meter, subject, view.now)]),
  };
}

/** The first day that a forecast looks at. */
export function firstDay(now: number): string {
  return new Date(now - FORECAST_MEMORY_DAYS * DAY_MS).toISOString().slice(0, 10);
}

function daysOf({ sql, now }: CheckpointedView, part: MatchPart | null): DayUsage[] {
  const values = part?.values ?? [""];
  const trait: Trait | null = part?.trait ?? null;
  const prefixes = trait === null ? [] : values.flatMap((value) => prefixOf(trait, value) ?? []);
  // Names are found by the key of the table. With a prefix, every name of the kind is compared.
  const isAlike =
    prefixes.length === 0
      ? ""
      : "OR EXISTS (SELECT 1 FROM json_each(?4) WHERE substr(scope_id, 1, length(value)) = value)";
  const rows = sql.exec<{ day: string; usd: number; runs: number; tokens: number }>(
    `SELECT day, SUM(CAST(usd AS REAL)) AS usd, SUM(runs) AS runs, SUM(tokens) AS tokens FROM ${DAILY_USAGE.in(sql)}
     WHERE scope_kind = ?1 AND day >= ?2 AND (scope_id IN (SELECT value FROM json_each(?3)) ${isAlike})
     GROUP BY day ORDER BY day`,
    trait === null ? "org" : (DAILY_KINDS.get(trait) ?? ""),
    firstDay(now),
    JSON.stringify(values),
    ...(prefixes.length === 0 ? [] : [JSON.stringify(prefixes)]),
  );
  return rows.toArray().map(({ day, usd, runs, tokens }) => ({
    day: dayOf(Date.parse(day)),
    usd: Math.max(0, usd / NANOS_PER_USD),
    runs,
    tokens,
  }));
}

/** Returns whose counter has most in it now. Empty if there is only one, or none yet. */
function fullest(view: CheckpointedView, meter: Meter): string {
  return countsApart(meter) ? (largest(view, meter, 1)[0] ?? "") : "";
}

function largest({ sql, now }: CheckpointedView, meter: Meter, limit: number): readonly string[] {
  const { startMs } = newEntry(meter, "", now).window;
  return countersOf(sql, { meterId: meter.id, startMs, limit }).counters.map(({ subject }) => subject);
}

/** The part of the days' dollars that the budget counted, in all periods that are stored. */
function shareOf(
  { sql }: CheckpointedView,
  meter: Meter,
  { subject, days }: { readonly subject: string; readonly days: readonly DayUsage[] },
): number {
  const { since, nanos } = sql
    .exec<{ since: number | null; nanos: number | null }>(
      `SELECT MIN(window_start) AS since, SUM(CAST(spent AS REAL) + CAST(over AS REAL)) AS nanos
       FROM ${USAGE.in(sql)} WHERE meter_id = ? AND subject = ?`,
      meter.id,
      subject,
    )
    .one();
  if (since === null || nanos === null) return 0;
  const first = dayOf(Math.max(since, meter.sinceMs));
  const all = days.reduce((sum, { day, usd }) => (day < first ? sum : sum + usd), 0);
  return all === 0 ? 0 : Math.min(1, nanos / NANOS_PER_USD / all);
}

export function statesOf({ sql }: CheckpointedView, entries: readonly MeterAccount[]): BudgetState[] {
  loadUsage(sql, entries);
  return entries.map((entry) => ({
    id: entry.meter.id,
    enforced: entry.meter.mode === "enforce",
    limitUsd: Number(entry.meter.limit ?? 0n) / NANOS_PER_USD,
    leftUsd: Number(roomOf(entry) ?? 0n) / NANOS_PER_USD,
    window: entry.meter.window,
  }));
}
