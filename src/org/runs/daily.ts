import type { Run } from "./store.ts";

/** What each scope spent each day, by when its runs started. It outlives the runs: forecasts learn from it. */
interface Day {
  readonly day: string;
  readonly scopeKind: string;
  readonly scopeId: string;
  usd: bigint;
  runs: number;
  tokens: number;
}

type DayRow = { at: number; usd: string; runs: number; tokens: number };

const SCOPES = [
  ["department", "departmentId"],
  ["workflow", "workflowId"],
  ["deployment", "deploymentId"],
  ["customer", "customerId"],
] as const;

export function addToDaily(sql: SqlStorage, runs: readonly Run[]): void {
  const days = new Map<string, Day>();
  for (const run of runs) {
    const day = dayOf(run.startedAt);
    add(days, day, "org", "", run);
    for (const [kind, field] of SCOPES) {
      const id = run[field];
      if (id !== null) add(days, day, kind, id, run);
    }
  }
  if (days.size > 0) save(sql, [...days.values()]);
}

let lastDay = { startMs: Number.NaN, text: "" };

/** Most runs of a batch share a day: its text is kept from one to the next. */
function dayOf(atMs: number): string {
  if (atMs >= lastDay.startMs && atMs < lastDay.startMs + 86_400_000) return lastDay.text;
  const startMs = Math.floor(atMs / 86_400_000) * 86_400_000;
  lastDay = { startMs, text: new Date(startMs).toISOString().slice(0, 10) };
  return lastDay.text;
}

function add(days: Map<string, Day>, day: string, scopeKind: string, scopeId: string, run: Run): void {
  const key = `${day} ${scopeKind} ${scopeId}`;
  let there = days.get(key);
  if (there === undefined) {
    there = { day, scopeKind, scopeId, usd: 0n, runs: 0, tokens: 0 };
    days.set(key, there);
  }
  there.usd += run.cost;
  there.runs += 1;
  there.tokens += run.inputTokens + run.outputTokens;
}

function save(sql: SqlStorage, days: readonly Day[]): void {
  const keys = JSON.stringify(days.map((one) => [one.scopeKind, one.scopeId, one.day]));
  const stored = sql.exec<DayRow>(
    `SELECT k.key AS at, d.usd, d.runs, d.tokens FROM json_each(?) AS k JOIN usage_daily AS d
       ON d.scope_kind = k.value ->> 0 AND d.scope_id = k.value ->> 1 AND d.day = k.value ->> 2`,
    keys,
  );
  for (const row of stored) {
    const one = days[row.at];
    if (one === undefined) continue;
    one.usd += BigInt(row.usd);
    one.runs += row.runs;
    one.tokens += row.tokens;
  }
  sql.exec(
    `INSERT INTO usage_daily (scope_kind, scope_id, day, usd, runs, tokens)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true
     ON CONFLICT (scope_kind, scope_id, day) DO UPDATE SET usd = excluded.usd, runs = excluded.runs,
       tokens = excluded.tokens`,
    JSON.stringify(
      days.map((one) => [one.scopeKind, one.scopeId, one.day, String(one.usd), one.runs, one.tokens]),
    ),
  );
}
