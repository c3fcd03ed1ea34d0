import { invalidField } from "../../contract/refusal.ts";
import type { EvalResource } from "../../contract/resources/routing.ts";
import type { EvalResult } from "../../domain/price/routing.ts";
import { command, done } from "../kernel/door.ts";
import { insertRow } from "../../storage/rows.ts";
import { readList } from "../kernel/resource.ts";

type EvalRow = {
  suite: string;
  model: string;
  score: number;
  samples: number;
  run_at: number;
  created_at: number;
};

/** How far a reporter's clock may be ahead of ours. */
const AHEAD_MS = 300_000;

export const recordEval = command({
  action: "eval.recorded",
  refuses: ["validation_failed"],
  run(tx, input: EvalResult) {
    if (input.runAt > tx.now + AHEAD_MS)
      return invalidField("run_at", "out_of_range", "must not be in the future");
    const { suite, model, score, samples, runAt } = input;
    const row = { suite, model, score, samples, run_at: runAt, created_at: tx.now };
    insertRow(tx.sql, "evals", row);
    return done(201, toEval(row), { target: model, detail: { suite, score, samples } });
  },
});

export const listEvals = readList(() => ({
  table: "evals",
  sort: { run_at: "run_at", created_at: "created_at" },
  filters: { suite: "suite = ?", model: "model = ?" },
  toItem: toEval,
}));

/** The latest result of a model on a suite. */
export function latestEval(sql: SqlStorage, suite: string, model: string, now: number): EvalResult[] {
  const rows = sql.exec<EvalRow>(
    "SELECT * FROM evals WHERE suite = ? AND model = ? AND run_at <= ? ORDER BY run_at DESC, created_at DESC LIMIT 1",
    suite,
    model,
    now,
  );
  return rows
    .toArray()
    .map((row) => ({ suite, model, score: row.score, samples: row.samples, runAt: row.run_at }));
}

function toEval(row: EvalRow): EvalResource {
  return {
    suite: row.suite,
    model: row.model,
    score: row.score,
    samples: row.samples,
    run_at: new Date(row.run_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
}
