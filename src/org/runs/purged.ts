import { createHash } from "node:crypto";
import { instantOf } from "../../domain/instant.ts";
import { RUN_ID_KEPT_MS } from "../../domain/retention.ts";
import { jsonRows } from "../kernel/json-rows.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs.ts";
import type { Run } from "./run.ts";
import { digestOf, digestOfRun, saidByInput } from "./same.ts";
import { NOTHING_MORE } from "../../domain/admission.ts";

/**
 * What is left of a run that retention has taken away: enough to know it when it comes again, and to say what it cost. Of
 * the id and of what was said of the run there are digests.
 */
type PurgedRow = {
  id: number;
  rest: string;
  said: string;
  recorded_at: number;
  charged_after: number;
  depth: number;
  cost_text: string;
};

const QUARTER_MONTHS = 3;

/** Rows of one quarter lie together: they expire together, and an id is looked for in the few quarters that there are. */
export function quarterOf(timeMs: number): number {
  const time = new Date(timeMs);
  return Math.floor((time.getUTCFullYear() * 12 + time.getUTCMonth()) / QUARTER_MONTHS);
}

/** 48 bits to look it up by and 32 more to know it by. */
function nameOf(id: string): { id: number; rest: string } {
  const digest = createHash("sha256").update(id).digest();
  return { id: digest.readUIntBE(0, 6), rest: digest.toString("hex", 6, 10) };
}

/** 64 bits of a digest, in hex. */
const KEPT_DIGITS = 16;

/** Keeps the ids of runs that are about to be taken away, unless their time is over as well. */
export function keepIds(sql: SqlStorage, runs: readonly Run[], now: number): void {
  const rows = runs
    .filter((run) => run.recordedAt > now - RUN_ID_KEPT_MS)
    .map((run) => {
      const { id, rest } = nameOf(run.id);
      const { recordedAt, chargedAt, depth, cost } = run;
      const said = digestOfRun(run).slice(0, KEPT_DIGITS);
      return [quarterOf(recordedAt), id, rest, said, recordedAt, chargedAt - recordedAt, depth, String(cost)];
    });
  if (rows.length === 0) return;
  sql.exec(
    `INSERT INTO purged_runs (quarter, id, rest, said, recorded_at, charged_after, depth, cost)
     SELECT row ->> 0, row ->> 1, unhex(row ->> 2), unhex(row ->> 3), row ->> 4, row ->> 5, row ->> 6,
       CAST(row ->> 7 AS INTEGER)
     FROM ${jsonRows("?")} WHERE true ON CONFLICT DO NOTHING`,
    JSON.stringify(rows),
  );
}

/** Which of the ids belong to runs that were taken away. */
export function findPurged(sql: SqlStorage, ids: readonly string[], now: number): Map<string, PurgedRow> {
  const found = new Map<string, PurgedRow>();
  if (ids.length === 0 || sql.exec("SELECT 1 FROM purged_runs LIMIT 1").toArray().length === 0) return found;
  const names = new Map(ids.map((id) => [id, nameOf(id)]));
  const [first, last] = [quarterOf(now - RUN_ID_KEPT_MS), quarterOf(now)];
  const quarters = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const rows = sql
    .exec<PurgedRow>(
      `SELECT id, lower(hex(rest)) AS rest, lower(hex(said)) AS said, recorded_at, charged_after, depth,
         CAST(cost AS TEXT) AS cost_text
       FROM purged_runs WHERE quarter IN (SELECT value FROM json_each(?)) AND id IN (SELECT value FROM json_each(?))
         AND recorded_at > ?`,
      JSON.stringify(quarters),
      JSON.stringify([...names.values()].map(({ id }) => id)),
      now - RUN_ID_KEPT_MS,
    )
    .toArray();
  if (rows.length === 0) return found;
  for (const [id, name] of names) {
    const row = rows.find((one) => one.id === name.id && one.rest === name.rest);
    if (row !== undefined) found.set(id, row);
  }
  return found;
}

/** The run as it was sent again and recorded before, or null when that was another. What it was charged to is gone. */
export function purgedRun(row: PurgedRow, input: RunInput & { readonly id: string }): Run | null {
  if (digestOf(saidByInput(input)).slice(0, KEPT_DIGITS) !== row.said) return null;
  return {
    id: input.id,
    startedAt: instantOf(input.started_at),
    endedAt: input.ended_at === undefined ? null : instantOf(input.ended_at),
    chargedAt: row.recorded_at + row.charged_after,
    recordedAt: row.recorded_at,
    model: input.model,
    action: input.action ?? null,
    workflowId: input.workflow_id ?? null,
    deploymentId: input.deployment_id ?? null,
    departmentId: input.department_id ?? null,
    customerId: input.customer_id ?? null,
    chainId: input.chain?.chain_id ?? null,
    parentRunId: input.chain?.parent_run_id ?? null,
    depth: row.depth,
    inputTokens: input.usage.input_tokens,
    outputTokens: input.usage.output_tokens,
    cost: BigInt(row.cost_text),
    charges: "",
    extra: extraOf(input, NOTHING_MORE, []),
  };
}
