import type { Attempt } from "../../domain/kinds.ts";
import type { Account } from "../../domain/meter.ts";
import { Copy } from "../copies.ts";
import { jsonRows } from "../json-rows.ts";
import type { Run } from "./run.ts";

/** What each scope spent each day, by when its runs started. It outlives the runs: forecasts learn from it. */
interface Day extends Total {
  readonly day: string;
  readonly scopeKind: string;
  readonly scopeId: string;
}

interface Total {
  usd: bigint;
  runs: number;
  tokens: number;
}

type DayRow = { at: number; usd: string; runs: number; tokens: number };

const SCOPES = [
  ["model", "model"],
  ["department", "departmentId"],
  ["workflow", "workflowId"],
  ["deployment", "deploymentId"],
  ["customer", "customerId"],
] as const;

interface Sum extends Total {
  readonly day: string;
  /** Any run of it: they are all of the same scopes and model. */
  readonly run: Run;
}

/** Sums a batch up before anything is read or written: runs of the same scopes, model and day are one addition. */
export class Daily {
  readonly #sums = new Map<readonly Account[], Map<string, Sum>>();
  /** The sum that the last run of each list was added to: mostly that of the next one too. */
  readonly #latest = new Map<readonly Account[], Sum>();

  /** `accounts` is the same list for runs of the same scopes. */
  add(run: Run, accounts: readonly Account[]): void {
    const day = dayOf(run.startedAt);
    let sum = this.#latest.get(accounts);
    if (sum?.day !== day || sum.run.model !== run.model) sum = this.#sumOf(run, day, accounts);
    sum.usd += run.cost;
    sum.runs += 1;
    sum.tokens += run.inputTokens + run.outputTokens;
  }

  #sumOf(run: Run, day: string, accounts: readonly Account[]): Sum {
    let sums = this.#sums.get(accounts);
    if (sums === undefined) this.#sums.set(accounts, (sums = new Map()));
    const key = `${day} ${run.model}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = { day, run, usd: 0n, runs: 0, tokens: 0 }));
    this.#latest.set(accounts, sum);
    return sum;
  }

  /** All that was added, as one attempt for each list of accounts. */
  *attempts(): Generator<[accounts: readonly Account[], attempts: Attempt]> {
    for (const [accounts, each] of this.#sums) {
      const sums = [...each.values()];
      const count = (field: "runs" | "tokens") => sums.reduce((total, sum) => total + sum[field], 0);
      const nanos = sums.reduce((total, { usd }) => total + usd, 0n);
      yield [accounts, { nanos, tokens: count("tokens"), depth: 0, runs: count("runs") }];
    }
  }

  save(sql: SqlStorage): void {
    const rows = new Map<string, Day>();
    for (const sums of this.#sums.values()) {
      for (const sum of sums.values()) {
        addTo(rows, "org", "", sum);
        for (const [kind, field] of SCOPES) {
          const id = sum.run[field];
          if (id !== null) addTo(rows, kind, id, sum);
        }
      }
    }
    if (rows.size > 0) save(sql, rows);
  }
}

function addTo(rows: Map<string, Day>, scopeKind: string, scopeId: string, sum: Sum): void {
  const { day, usd, runs, tokens } = sum;
  const key = `${day} ${scopeKind} ${scopeId}`;
  const there = rows.get(key);
  if (there === undefined) {
    rows.set(key, { day, scopeKind, scopeId, usd, runs, tokens });
    return;
  }
  there.usd += usd;
  there.runs += runs;
  there.tokens += tokens;
}

let lastDay = { startMs: Number.NaN, text: "" };

/** Most runs of a batch share a day: its text is kept from one to the next. */
function dayOf(atMs: number): string {
  if (atMs >= lastDay.startMs && atMs < lastDay.startMs + 86_400_000) return lastDay.text;
  const startMs = Math.floor(atMs / 86_400_000) * 86_400_000;
  lastDay = { startMs, text: new Date(startMs).toISOString().slice(0, 10) };
  return lastDay.text;
}

const MOST_COPIES = 10_000;
const copies = new Copy<Map<string, Total>>();

/** Whoever changes daily sums otherwise than by a batch has their copies forgotten. */
export function forgetDaily(sql: SqlStorage): void {
  copies.forget(sql);
}

function save(sql: SqlStorage, days: ReadonlyMap<string, Day>): void {
  const known = copies.get(sql, () => new Map());
  const unknown = new Map([...days].filter(([key]) => !known.has(key)));
  if (known.size + unknown.size > MOST_COPIES) {
    known.clear();
    readTotals(sql, days, known);
  } else if (unknown.size > 0) readTotals(sql, unknown, known);
  const rows: unknown[][] = [];
  for (const [key, { scopeKind, scopeId, day, ...added }] of days) {
    const { usd, runs, tokens } = plus(added, known.get(key));
    known.set(key, { usd, runs, tokens });
    rows.push([scopeKind, scopeId, day, String(usd), runs, tokens]);
  }
  sql.exec(
    `INSERT INTO usage_daily (scope_kind, scope_id, day, usd, runs, tokens)
     SELECT row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5 FROM ${jsonRows()} WHERE true
     ON CONFLICT (scope_kind, scope_id, day) DO UPDATE SET usd = excluded.usd, runs = excluded.runs,
       tokens = excluded.tokens`,
    JSON.stringify(rows),
  );
}

function readTotals(sql: SqlStorage, days: ReadonlyMap<string, Day>, into: Map<string, Total>): void {
  const keys = [...days.keys()];
  const stored = sql.exec<DayRow>(
    `SELECT k.key AS at, d.usd, d.runs, d.tokens FROM json_each(?) AS k JOIN usage_daily AS d
       ON d.scope_kind = k.value ->> 0 AND d.scope_id = k.value ->> 1 AND d.day = k.value ->> 2`,
    JSON.stringify([...days.values()].map((one) => [one.scopeKind, one.scopeId, one.day])),
  );
  for (const { at, usd, runs, tokens } of stored)
    into.set(keys[at] ?? "", { usd: BigInt(usd), runs, tokens });
}

function plus(one: Total, other: Total | undefined): Total {
  if (other === undefined) return one;
  return { usd: one.usd + other.usd, runs: one.runs + other.runs, tokens: one.tokens + other.tokens };
}
