import { refuse } from "../../contract/refusal.ts";
import { callNames, runNames } from "../../domain/run/segment/run-names.ts";
import { scopesOf } from "../../domain/meter/limit-set.ts";
import type { Explanation } from "../../contract/resources/explain.ts";
import type { View } from "../kernel/door.ts";
import { RUN_ROUTE } from "../runs/rates.ts";
import type { Run } from "../runs/run.ts";
import { replacedRuns } from "../runs/replacements.ts";
import { findRun } from "../runs/store.ts";
import { candidatesFor } from "./candidates.ts";
import { type Candidate, judgeChecks } from "./check.ts";
import { type ExplanationResult, explanation } from "./explanation.ts";
import { passPastChecks } from "./past.ts";
import type { Subject } from "./subject.ts";

/** A recorded run: it passed every check, or none could refuse it. */
export function explainRun(
  view: View,
  id: string,
  of: Pick<Explanation, "subject" | "id">,
): ExplanationResult {
  const run = findRun(view.sql, id);
  if (run === undefined || replacedRuns(view.sql).has(id)) return refuse("not_found");
  const candidates = candidatesFor(view, subjectOf(view, run));
  const isFact = run.extra?.reservation !== undefined || run.extra?.incurred === true;
  const checks = isFact
    ? judgeChecks(candidates.map((one) => unasked(one, run)))
    : passPastChecks(candidates);
  return explanation(of, run.recordedAt, run.cost, checks);
}

function unasked(candidate: Candidate, run: Run): Candidate {
  if (candidate.passes === null) return candidate;
  const over = candidate.id === null ? undefined : run.extra?.over?.[candidate.id];
  const cause = run.extra?.reservation === undefined ? "was already incurred" : "settles a reservation";
  const excess = over === undefined ? "" : " It exceeded this limit, which was counted.";
  return { ...candidate, passes: null, why: `The run ${cause}, so no check can refuse it.${excess}` };
}

function subjectOf(view: View, run: Run): Subject {
  return {
    route: RUN_ROUTE,
    keyId: view.actor.id,
    scopes: scopesOf(
      { ...callNames(runNames(run)), variant: run.extra?.variant },
      { keyId: run.keyId ?? undefined, chain: run.chainId ?? undefined },
    ),
    attempt: { nanos: run.cost, tokens: run.inputTokens + run.outputTokens, depth: run.depth },
    phase: "run",
    content: null,
  };
}
