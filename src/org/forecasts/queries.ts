import { DAILY_USAGE } from "../runs/daily.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { MATCH_SCOPE } from "../../contract/scopes.ts";
import type { BudgetState, DayUsage, ScopeUsage } from "../../domain/forecast/budgets.ts";
import type { PlanInputs } from "../../domain/forecast/plan.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import type { RunColumns } from "../../domain/run/segment/columns.ts";
import { reduceArchived } from "../../storage/segments/archived-segments.ts";
import { type SegmentMetadata, STATE } from "../../storage/segments/metadata.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { query, type CheckpointedView } from "../kernel/door.ts";
import { type MeterRow, toMeter } from "../meters/store.ts";
import { newEntry } from "../meters/usage.ts";
import { firstDay, matchDays, matchUsage, NANOS_PER_USD, statesOf } from "./match-usage.ts";

/** The data for a forecast. The object only reads it. The isolate computes, which leaves the object free. */

/** Scopes that are read at once. The object answers no other call meanwhile. */
const SCOPES_AT_ONCE = 25;

export interface Scope {
  readonly scopeKind: string;
  readonly scopeId: string;
}

export const forecastInputs = query({
  refuses: [],
  run: (view, asked: Scope): PlanInputs => ({
    now: view.now,
    ...scopeUsage(view, asked),
    teams: teamsOf(view),
  }),
});

export interface BudgetedScopes {
  readonly scopes: readonly ScopeUsage[];
  /** Where to continue. Null after the last one. */
  readonly next: Scope | null;
}

/** A budget is found by its scope or, if it matches calls by other names, by its id. */
const SCOPE_ID = "CASE scope_kind WHEN 'match' THEN id ELSE scope_id END";

/** Every scope with a budget, a part at a time, sorted by name. */
export const budgetedScopes = query({
  refuses: [],
  run(view, { after }: { after: Scope | null }): BudgetedScopes {
    const found = view.sql
      .exec<{ scopeKind: string; scopeId: string }>(
        `SELECT DISTINCT scope_kind AS scopeKind, ${SCOPE_ID} AS scopeId FROM meters
         WHERE kind = 'budget' AND (scope_kind, ${SCOPE_ID}) > (?, ?) ORDER BY scopeKind, scopeId LIMIT ?`,
        after?.scopeKind ?? "",
        after?.scopeId ?? "",
        SCOPES_AT_ONCE,
      )
      .toArray();
    const next = found.length < SCOPES_AT_ONCE ? null : (found.at(-1) ?? null);
    return { scopes: found.map((scope) => scopeUsage(view, scope)), next };
  },
});

export interface Counter extends Scope {
  /** The group whose counter it is, of a budget with `group_by`. */
  readonly group?: string | null;
}

/** The days of some scopes, for limits that have a forecast. */
export const scopeDays = query({
  refuses: [],
  run: (view, { scopes }: { scopes: readonly Counter[] }) => ({
    data: scopes.slice(0, SCOPES_AT_ONCE).map((scope) => ({
      scope,
      days:
        scope.scopeKind === MATCH_SCOPE
          ? matchDays(view, scope.scopeId, scope.group ?? null)
          : daysOf(view, scope),
    })),
  }),
});

function scopeUsage(view: CheckpointedView, scope: Scope): ScopeUsage {
  if (scope.scopeKind === MATCH_SCOPE) return matchUsage(view, scope.scopeId);
  return { days: daysOf(view, scope), budgets: budgetsOf(view, scope) };
}

type DayRow = { day: string; usd: string; runs: number; tokens: number };

const dayNumber = (day: string) => dayOf(Date.parse(day));

function daysOf(view: CheckpointedView, { scopeKind, scopeId }: Scope): DayUsage[] {
  return view.sql
    .exec<DayRow>(
      `SELECT day, usd, runs, tokens FROM ${DAILY_USAGE.in(view.sql)}
       WHERE scope_kind = ? AND scope_id = ? AND day >= ? ORDER BY day`,
      scopeKind,
      scopeId,
      firstDay(view.now),
    )
    .toArray()
    .map(({ day, usd, runs, tokens }) => ({
      day: dayNumber(day),
      // A day can be given back more than was spent on it.
      usd: Math.max(0, Number(BigInt(usd)) / NANOS_PER_USD),
      runs,
      tokens,
    }));
}

/** How many departments were active on each day. */
function teamsOf(view: CheckpointedView) {
  return view.sql
    .exec<{ day: string; teams: number }>(
      `SELECT day, COUNT(*) AS teams FROM ${DAILY_USAGE.in(view.sql)}
       WHERE scope_kind = 'department' AND day >= ? AND runs > 0 GROUP BY day`,
      firstDay(view.now),
    )
    .toArray()
    .map(({ day, teams }) => ({ day: dayNumber(day), teams }));
}

function budgetsOf(view: CheckpointedView, { scopeKind, scopeId }: Scope): BudgetState[] {
  const rows = view.sql
    .exec<MeterRow>(
      `SELECT * FROM meters WHERE scope_kind = ? AND scope_id = ? AND kind = 'budget'
         AND IFNULL(extra ->> 'unit', 'usd') = 'usd' ORDER BY id`,
      scopeKind,
      scopeId,
    )
    .toArray();
  return statesOf(
    view,
    rows.map((row) => newEntry(toMeter(row, view.now), "", view.now)),
  );
}

const RETURN_DAYS = 30;
const RECENT_RUNS = 10_000;

/** Returns what a deployment returned in the last 30 days, and how many teams used it, for the linear projection. */
export const deploymentReturn = query({
  refuses: [],
  run(view, { deploymentId }: { deploymentId: string }) {
    const since = new Date(view.now - RETURN_DAYS * DAY_MS).toISOString().slice(0, 10);
    const days = view.sql
      .exec<{ usd: string }>(
        `SELECT usd FROM ${DAILY_USAGE.in(view.sql)} WHERE scope_kind = 'deployment' AND scope_id = ? AND day > ?`,
        deploymentId,
        since,
      )
      .toArray();
    const teams = teamsAmongLatest(view.sql, deploymentId);
    return { returnedNano: String(days.reduce((sum, day) => sum + BigInt(day.usd), 0n)), teams: teams.size };
  },
});

/** The departments of a deployment's latest runs. */
function teamsAmongLatest(sql: SqlStorage, deploymentId: string): ReadonlySet<string> {
  const store = runSegments(sql);
  const latest: { readonly segment: SegmentMetadata; readonly from: number }[] = [];
  let left = RECENT_RUNS;
  for (const segment of store.heldLatestFirst()) {
    if (left <= 0) break;
    latest.push({ segment, from: Math.max(0, segment.rows - left) });
    left -= segment.rows;
  }
  const from = new Map(latest.map((one) => [one.segment, one.from]));
  const addTeams = (teams: Set<string>, columns: RunColumns, segment: SegmentMetadata) => {
    const departments = columns.names("departmentId");
    for (const [at, deployment] of columns.names("deploymentId").entries()) {
      const team = departments[at] ?? null;
      if (at >= (from.get(segment) ?? 0) && deployment === deploymentId && team !== null) teams.add(team);
    }
  };
  const inOrder = latest.map(({ segment }) => segment).toReversed();
  const segmentsFrom = (seq: number) => inOrder.filter(({ firstSeq }) => firstSeq >= seq);
  const key = `teams of ${deploymentId}`;
  const teams = new Set(
    reduceArchived(store, segmentsFrom, { key, start: () => new Set<string>(), add: addTeams }),
  );
  for (const { segment } of latest)
    if (segment.state !== STATE.archived) addTeams(teams, store.columns(segment), segment);
  return teams;
}
