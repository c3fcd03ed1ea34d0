import { formatUsd } from "../../domain/price/money.ts";
import { runNames } from "../../domain/run/segment/run-names.ts";
import { estimateOf } from "../decisions/charge.ts";
import { estimateIn, holdRequestOf } from "../decisions/hold-request.ts";
import type { HoldRow } from "../decisions/store.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { tallyReplaced } from "../ledger/tally.ts";
import type { Tx } from "../kernel/door.ts";
import { saveDaily } from "./daily.ts";
import { estimatedRun, sumOf } from "./estimates.ts";
import type { Run } from "./run.ts";

const copies = new TransactionalCache<Set<string>>();

/** Ids of the estimates that a run has taken the place of: they are stored, and are no runs any more. */
export function replacedRuns(sql: SqlStorage): ReadonlySet<string> {
  return replaced(sql);
}

function replaced(sql: SqlStorage): Set<string> {
  return copies.get(
    sql,
    () =>
      new Set(
        sql
          .exec<{ run_id: string }>("SELECT run_id FROM replaced_runs")
          .toArray()
          .map(({ run_id }) => run_id),
      ),
  );
}

/** Each estimate that was replaced, with the run that took its place. */
export function replacements(
  sql: SqlStorage,
): readonly { readonly runId: string; readonly byRunId: string }[] {
  return sql
    .exec<{ run_id: string; by_run_id: string }>("SELECT run_id, by_run_id FROM replaced_runs")
    .toArray()
    .map(({ run_id: runId, by_run_id: byRunId }) => ({ runId, byRunId }));
}

/**
 * A run that was reported after its reservation had become one takes its place. The charge of the estimate is taken
 * back before.
 */
export function replaceEstimate(tx: Tx, run: Run, hold: HoldRow): void {
  const estimate = estimateIn(hold);
  const request = holdRequestOf(hold);
  if (estimate === null || request === null) return;
  const { runId } = estimate;
  tx.sql.exec("INSERT INTO replaced_runs (run_id, by_run_id, at) VALUES (?, ?, ?)", runId, run.id, tx.now);
  replaced(tx.sql).add(runId);
  const replacedRun = estimatedRun(tx.now, estimateOf(hold, request, runId));
  const sum = sumOf(replacedRun);
  tx.sql.exec(
    "INSERT INTO run_replacements (run_id, by_run_id, at, started_at, cost, names) VALUES (?, ?, ?, ?, ?, ?)",
    runId,
    run.id,
    tx.now,
    replacedRun.startedAt,
    String(replacedRun.cost),
    JSON.stringify(runNames(replacedRun)),
  );
  const { usd, runs, tokens, counts } = sum;
  const back = { usd: -usd, runs: -runs, tokens: -tokens, counts: counts.map((count) => -count) };
  saveDaily(tx.sql, [{ ...sum, ...back }]);
  tallyReplaced(tx, sum.usd, run.cost);
  const detail = {
    reservation_id: hold.id,
    replaced_run_id: runId,
    estimated_usd: formatUsd(sum.usd),
    cost_usd: formatUsd(run.cost),
  };
  tx.emit("run.replaced", { run_id: run.id, ...detail });
  tx.record({ action: "run.replaced", target: run.id, outcome: "done", detail });
}

/** Once retention has deleted every run of before a moment. */
export function forgetReplaced(sql: SqlStorage, before: number): void {
  sql.exec("DELETE FROM replaced_runs WHERE at < ?", before);
  copies.forget(sql);
}
