import type { BudgetState, DayUsage } from "../../domain/forecast/plan.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { roomOf } from "../../domain/meter.ts";
import { query, type View } from "../door.ts";
import { type MeterRow, toMeter } from "../meters/store.ts";
import { loadUsage, newEntry } from "../meters/usage.ts";

/** What a forecast is made of. The object only reads it: the isolate does the sums, and leaves the object free. */

const MEMORY_DAYS = 400;
const MOST_BUDGETS = 50;
const NANOS_PER_USD = 1e9;

interface Asked {
  readonly scopeKind: string;
  readonly scopeId: string;
}

/** `workflow demo`; the org itself is `org `. */
const scopeName = (kind: string, id: string) => `${kind} ${id}`;

export const forecastInputs = query({
  refuses: [],
  run(view, { scopeKind, scopeId }: Asked) {
    const scope = scopeName(scopeKind, scopeId);
    const budgets = budgetsOf(view).filter((budget) => scopeKind === "org" || budget.scope === scope);
    const scopes = new Set([scope, ...budgets.map((budget) => budget.scope)]);
    return {
      now: view.now,
      scope,
      days: Object.fromEntries([...scopes].map((name) => [name, daysOf(view, name)])),
      teams: teamsOf(view),
      budgets,
    };
  },
});

type DayRow = { day: string; usd: string; runs: number; tokens: number };

function firstDay(view: View): string {
  return new Date(view.now - MEMORY_DAYS * 86_400_000).toISOString().slice(0, 10);
}

const dayNumber = (day: string) => dayOf(Date.parse(day));

function daysOf(view: View, scope: string): DayUsage[] {
  const [kind = "", ...id] = scope.split(" ");
  return view.sql
    .exec<DayRow>(
      `SELECT day, usd, runs, tokens FROM usage_daily
       WHERE scope_kind = ? AND scope_id = ? AND day >= ? ORDER BY day`,
      kind,
      id.join(" "),
      firstDay(view),
    )
    .toArray()
    .map(({ day, usd, runs, tokens }) => ({
      day: dayNumber(day),
      usd: Number(BigInt(usd)) / NANOS_PER_USD,
      runs,
      tokens,
    }));
}

/** How many departments were active on each day. */
function teamsOf(view: View) {
  return view.sql
    .exec<{ day: string; teams: number }>(
      `SELECT day, COUNT(*) AS teams FROM usage_daily
       WHERE scope_kind = 'department' AND day >= ? GROUP BY day`,
      firstDay(view),
    )
    .toArray()
    .map(({ day, teams }) => ({ day: dayNumber(day), teams }));
}

function budgetsOf(view: View): BudgetState[] {
  const rows = view.sql
    .exec<MeterRow>("SELECT * FROM meters WHERE kind = 'budget' ORDER BY id LIMIT ?", MOST_BUDGETS)
    .toArray();
  const entries = rows.map((row) => newEntry(toMeter(row), "", view.now));
  loadUsage(view.sql, entries);
  return entries.map((entry, index) => {
    const { id, scope, limit, mode } = entry.meter;
    return {
      id,
      scope: scopeName(scope.kind, scope.id),
      enforced: mode === "enforce",
      limitUsd: Number(limit ?? 0n) / NANOS_PER_USD,
      leftUsd: Number(roomOf(entry) ?? 0n) / NANOS_PER_USD,
      period: rows[index]?.period ?? "total",
    };
  });
}

const RETURN_DAYS = 30;
const RECENT_RUNS = 10_000;

/** What a deployment brought in the last 30 days, and how many teams were seen to use it, for the linear projection. */
export const deploymentReturn = query({
  refuses: [],
  run(view, { deploymentId }: { deploymentId: string }) {
    const since = new Date(view.now - RETURN_DAYS * 86_400_000).toISOString().slice(0, 10);
    const days = view.sql
      .exec<{ usd: string }>(
        "SELECT usd FROM usage_daily WHERE scope_kind = 'deployment' AND scope_id = ? AND day > ?",
        deploymentId,
        since,
      )
      .toArray();
    const { teams } = view.sql
      .exec<{ teams: number }>(
        `SELECT COUNT(DISTINCT department_id) AS teams FROM
           (SELECT department_id, deployment_id FROM run_rows ORDER BY seq DESC LIMIT ?) WHERE deployment_id = ?`,
        RECENT_RUNS,
        deploymentId,
      )
      .one();
    return { returnedNano: String(days.reduce((sum, day) => sum + BigInt(day.usd), 0n)), teams };
  },
});
