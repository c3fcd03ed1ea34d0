import type { Denial } from "../../domain/kinds.ts";
import type { Sought } from "../../domain/id-index/sought.ts";
import { formatUsd } from "../../domain/money.ts";
import { runIds } from "./ids/index.ts";
import { RowTexts } from "./row-text.ts";

/** A run as it is stored. */
export interface Run {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly chargedAt: number;
  readonly recordedAt: number;
  readonly model: string;
  readonly action: string | null;
  readonly workflowId: string | null;
  readonly deploymentId: string | null;
  readonly departmentId: string | null;
  readonly customerId: string | null;
  readonly chainId: string | null;
  readonly parentRunId: string | null;
  /** Runs from the start of its chain to this one; 0 outside a chain. */
  readonly depth: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: bigint;
  readonly charges: string;
  readonly extra: RunExtra | null;
}

/** What few runs have. Amounts are decimal texts of the meter's unit. */
export interface RunExtra {
  /** The cost came from the price book. */
  readonly priced?: true;
  readonly reservation?: string;
  readonly incurred?: true;
  readonly approval?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly draws?: readonly (readonly [packId: string, amount: string])[];
  /** What the customer's packs could not cover of a fact. */
  readonly uncovered?: string;
  readonly over?: Readonly<Record<string, string>>;
  readonly shadow?: readonly Denial[];
}

export type RunRow = {
  id: string;
  started_at: number;
  charged_at: number;
  recorded_at: number;
  chain_id: string | null;
  cost_text: string;
  data: string;
};

/** What lies in a row's `data`, in order; the view `run_rows` and whoever writes rows count on it. */
type RunData = [
  model: string,
  action: string | null,
  workflowId: string | null,
  deploymentId: string | null,
  departmentId: string | null,
  customerId: string | null,
  inputTokens: number,
  outputTokens: number,
  charges: string,
  endedAt: number | null,
  parentRunId: string | null,
  depth: number,
  extra: RunExtra | null,
];

export const RUN_COLUMNS =
  "id, started_at, charged_at, recorded_at, chain_id, cost, CAST(cost AS TEXT) AS cost_text, data";

export function fromRow(row: RunRow): Run {
  const data = JSON.parse(row.data) as RunData;
  return {
    id: row.id,
    startedAt: row.started_at,
    chargedAt: row.charged_at,
    recordedAt: row.recorded_at,
    chainId: row.chain_id,
    cost: BigInt(row.cost_text),
    model: data[0],
    action: data[1],
    workflowId: data[2],
    deploymentId: data[3],
    departmentId: data[4],
    customerId: data[5],
    inputTokens: data[6],
    outputTokens: data[7],
    charges: data[8],
    endedAt: data[9],
    parentRunId: data[10],
    depth: data[11],
    extra: data[12],
  };
}

/** The stored runs that have one of these ids. */
export function loadRuns(sql: SqlStorage, sought: Sought): Map<string, Run> {
  const seqs = sought.ids.length === 0 ? [] : runIds(sql).find(sought);
  if (seqs.length === 0) return new Map();
  const rows = sql.exec<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE seq IN (SELECT value FROM json_each(?))`,
    JSON.stringify(seqs),
  );
  const asked = new Set(sought.ids);
  const found = rows.toArray().filter((row) => asked.has(row.id));
  return new Map(found.map((row) => [row.id, fromRow(row)]));
}

/**
 * All rows in one statement, from one text: nothing crosses into SQLite row by row. What plain runs of a batch have in
 * common is bound once, because each column taken out of the text costs as much as a tenth of the row. `data` goes in as
 * a text, which SQLite need not write again; and the offset keeps `row` a value, where `value` would be rendered for
 * each column anew.
 */
function insertRows(
  sql: SqlStorage,
  rows: RowTexts,
  recordedAt: number,
  charged: string,
  chain: string,
): void {
  sql.exec(
    `INSERT INTO runs (id, started_at, cost, data, recorded_at, charged_at, chain_id)
     SELECT row ->> 0, row ->> 1, CAST(row ->> 2 AS INTEGER), row ->> 3, ?1, ${charged}, ${chain}
     FROM (SELECT value AS row FROM json_each(?2) LIMIT -1 OFFSET 0)`,
    recordedAt,
    rows.text,
  );
}

/** Stores the runs of one batch. */
export function insertRuns(sql: SqlStorage, runs: readonly Run[]): void {
  const first = runs[0];
  if (first === undefined) return;
  const { recordedAt } = first;
  const plain = { ids: [] as string[], rows: new RowTexts() };
  const others = { ids: [] as string[], rows: new RowTexts() };
  for (const run of runs) {
    const { id, chargedAt, chainId } = run;
    if (chainId === null && chargedAt === recordedAt) {
      plain.ids.push(id);
      plain.rows.add(run);
    } else {
      others.ids.push(id);
      others.rows.add(run, chargedAt, chainId);
    }
  }
  const index = runIds(sql);
  if (plain.ids.length > 0) insertRows(sql, plain.rows, recordedAt, "?1", "NULL");
  if (others.ids.length > 0) insertRows(sql, others.rows, recordedAt, "row ->> 4", "row ->> 5");
  index.add([...plain.ids, ...others.ids]);
}

/** The run as the API shows it. */
export function toRun(run: Run) {
  const extra = run.extra ?? {};
  return {
    id: run.id,
    started_at: iso(run.startedAt),
    ended_at: run.endedAt === null ? null : iso(run.endedAt),
    model: run.model,
    action: run.action,
    workflow_id: run.workflowId,
    deployment_id: run.deploymentId,
    department_id: run.departmentId,
    customer_id: run.customerId,
    chain:
      run.chainId === null
        ? null
        : { chain_id: run.chainId, parent_run_id: run.parentRunId, depth: run.depth },
    usage: { input_tokens: run.inputTokens, output_tokens: run.outputTokens },
    cost_usd: formatUsd(run.cost),
    reservation_id: extra.reservation ?? null,
    incurred: extra.incurred ?? false,
    approval_id: extra.approval ?? null,
    metadata: extra.metadata ?? null,
    recorded_at: iso(run.recordedAt),
    charged_at: iso(run.chargedAt),
    charges: chargesOf(run),
    uncovered_usd: extra.uncovered === undefined ? null : formatUsd(BigInt(extra.uncovered)),
    shadow: extra.shadow ?? [],
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** What a run took from one meter: every meter in dollars takes its cost, the plan's take runs and tokens. */
export function amountCharged(run: Run, meterId: string): bigint {
  if (meterId === "plan_runs") return 1n;
  if (meterId === "plan_tokens" || meterId === "chain_tokens")
    return BigInt(run.inputTokens + run.outputTokens);
  return run.cost;
}

function chargesOf(run: Run) {
  const charges = run.charges === "" ? [] : run.charges.split(" ");
  const over = run.extra?.over ?? {};
  const meters = charges.map((id) => ({
    kind: kindOfId(id),
    id,
    ...written(id, amountCharged(run, id), over[id] === undefined ? 0n : BigInt(over[id])),
  }));
  const draws = (run.extra?.draws ?? []).map(([id, amount]) => ({
    kind: "credit_pack",
    id,
    ...written(id, BigInt(amount), 0n),
  }));
  return [...meters, ...draws];
}

function written(id: string, amount: bigint, over: bigint) {
  if (/^plan_|_tokens$/.test(id))
    return { amount: Number(amount), ...(over === 0n ? {} : { over: Number(over) }) };
  return { amount_usd: formatUsd(amount), ...(over === 0n ? {} : { over_usd: formatUsd(over) }) };
}

/** A limit may be gone by the time its charge is read: its id says what it was. */
function kindOfId(id: string): string {
  if (id.startsWith("bud_")) return "budget";
  return id.startsWith("clm_") ? "customer_limit" : id;
}
