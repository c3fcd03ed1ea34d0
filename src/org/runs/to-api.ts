import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { adjustedAmounts } from "./adjusted-amounts.ts";
import { Breakdowns } from "./breakdown.ts";
import { withMetadata } from "./long-metadata.ts";
import type { Run } from "./run.ts";
import { toRun } from "./run-resource.ts";

/** Stored runs as the API shows them, with what lies apart from them. */
export function toRunResources(sql: SqlStorage, runs: readonly Run[]): RunResource[] {
  const breakdowns = new Breakdowns(sql);
  const adjusted = adjustedAmounts(
    sql,
    runs.map(({ id }) => id),
  );
  return runs.map((run) => toRun(withMetadata(sql, run), breakdowns, adjusted.get(run.id) ?? 0n));
}

/** Runs as they were when they were recorded, whatever was adjusted since. */
export function runsAsRecorded(sql: SqlStorage, runs: readonly Run[]): RunResource[] {
  const breakdowns = new Breakdowns(sql);
  return runs.map((run) => toRun(withMetadata(sql, run), breakdowns, 0n));
}

export function toRunResource(sql: SqlStorage, run: Run): RunResource {
  return only(toRunResources(sql, [run]));
}

export function runAsRecorded(sql: SqlStorage, run: Run): RunResource {
  return only(runsAsRecorded(sql, [run]));
}

function only([shown]: readonly RunResource[]): RunResource {
  if (shown === undefined) throw new Error("one run is shown as none");
  return shown;
}
