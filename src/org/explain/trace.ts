import { refuse } from "../../contract/refusal.ts";
import type { Explanation } from "../../contract/resources/explain.ts";
import { scopesOf } from "../../domain/meter/limit-set.ts";
import { namesOf } from "../../domain/refusal/names.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import { DECISION_CODES } from "../../contract/limit-codes.ts";
import { AUDIT } from "../kernel/audit/log.ts";
import type { CheckpointedView } from "../kernel/door.ts";
import { findRefusal, findRefusals, type StoredRefusal } from "../refusals/find.ts";
import { toRefusal } from "../refusals/show.ts";
import { BULK_ROUTE, RUN_ROUTE } from "../runs/rates.ts";
import { candidatesFor } from "./candidates.ts";
import { type ExplanationResult, explanation } from "./explanation.ts";
import { judgePastChecks } from "./past.ts";
import { explainRun } from "./run.ts";

const MOST_REFUSALS = 1000;

/** Explains what was refused under a trace, or the run that was recorded. */
export function explainTrace(view: CheckpointedView, trace: string): ExplanationResult {
  const refusals = refusalsOf(view, trace);
  // The first refused run of a batch: all have one time, and are sorted by position.
  const refusal = refusals.at(-1);
  if (refusal === undefined) return explainTracedRun(view, trace);
  return { ...refused(view, refusal, { subject: "trace_id", id: trace }), refusals: refusals.length };
}

/** One refusal, also of a trace that has several. */
export function explainRefusal(view: CheckpointedView, id: string): ExplanationResult {
  const refusal = findRefusal(view.sql, id);
  if (refusal === undefined) return refuse("not_found");
  const { length } = refusalsOf(view, refusal.trace);
  return { ...refused(view, refusal, { subject: "refusal_id", id }), refusals: length };
}

function refusalsOf({ sql }: CheckpointedView, trace: string): readonly StoredRefusal[] {
  const sought = { from: 0, to: Number.MAX_SAFE_INTEGER, after: null, limit: MOST_REFUSALS };
  return findRefusals(sql, { ...sought, filters: { trace } }).refusals;
}

function refused(
  view: CheckpointedView,
  refusal: StoredRefusal,
  of: Pick<Explanation, "subject" | "id">,
): Explanation {
  const nanos = refusal.nanos === null ? null : BigInt(refusal.nanos);
  const candidates = candidatesFor(view, {
    route: refusal.operation,
    keyId: refusal.keyId ?? "",
    // Its provider and tags are not kept.
    scopes: scopesOf(namesOf(refusal, undefined), { keyId: refusal.keyId ?? undefined }),
    attempt: { nanos: nanos ?? 0n, tokens: 0, depth: 0 },
    phase: phaseOf(refusal),
    content: null,
  });
  const made = explanation(of, refusal.at, nanos, judgePastChecks(candidates, refusal));
  return { ...made, refusal: toRefusal(refusal) };
}

/** A recorded run is in the audit trail with its trace. */
function explainTracedRun(view: CheckpointedView, trace: string): ExplanationResult {
  for (const { action, target } of AUDIT.stored(view.sql).with("trace", trace)) {
    if (action === "run.recorded" && target !== null)
      return explainRun(view, target, { subject: "trace_id", id: trace });
  }
  const message =
    "No refusal and no run has this trace. Allowed decisions are found by their reservation_id.";
  return refuse("not_found", {}, { message });
}

const OF_DECISIONS: ReadonlySet<string> = new Set(["rate_limited", ...DECISION_CODES]);

/** If a decision was refused by a check that only runs have, it had asked for all checks. */
function phaseOf({ operation, code }: StoredRefusal): Phase {
  const isRun = operation === RUN_ROUTE || operation === BULK_ROUTE;
  return isRun || !OF_DECISIONS.has(code) ? "run" : "decision";
}
