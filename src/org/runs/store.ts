import type { Sought } from "../../domain/id-index/sought.ts";
import { jsonRows } from "../kernel/json-rows.ts";
import { runIds } from "./ids/index.ts";
import { storeApart } from "./long-metadata.ts";
import { RowTexts } from "./row-text.ts";
import type { Run, RunExtra } from "./run.ts";

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
 * All rows in one statement, from one text where they fit into one: nothing crosses into SQLite row by row. What plain runs of a batch have in
 * common is bound once, because each column taken out of the text costs as much as a tenth of the row. `data` goes in as
 * a text, which SQLite need not write again.
 */
function insertRows(
  sql: SqlStorage,
  rows: RowTexts,
  recordedAt: number,
  charged: string,
  chain: string,
): void {
  for (const text of rows.texts) {
    sql.exec(
      `INSERT INTO runs (id, started_at, cost, data, recorded_at, charged_at, chain_id)
       SELECT row ->> 0, row ->> 1, CAST(row ->> 2 AS INTEGER), row ->> 3, ?1, ${charged}, ${chain}
       FROM ${jsonRows("?2")}`,
      recordedAt,
      text,
    );
  }
}

/** Stores the runs of one batch. */
export function insertRuns(sql: SqlStorage, runs: readonly Run[]): void {
  const first = runs[0];
  if (first === undefined) return;
  const { recordedAt } = first;
  const plain = { ids: [] as string[], rows: new RowTexts() };
  const others = { ids: [] as string[], rows: new RowTexts() };
  for (const accepted of runs) {
    const run = storeApart(sql, accepted);
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
