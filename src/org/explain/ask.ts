import { DECISION_ROUTE } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { toCheckedRun } from "../../domain/run/checked-run.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import { rateMetersFor, type RatePolicy } from "../../domain/rate/policy.ts";
import { namesIn, scopesOf } from "../../domain/meter/limit-set.ts";
import { checksAll, type DecisionAsk, mostOutput, tokensOf } from "../../gate/decision/ask.ts";
import { chainDepth } from "../checks/depth.ts";
import { costsOf } from "../decisions/estimate.ts";
import { fitAsk } from "../decisions/fit.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { View } from "../kernel/door.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { candidatesFor } from "./candidates.ts";
import { judgeChecks } from "./check.ts";
import { type ExplanationResult, explanation } from "./explanation.ts";
import type { Subject } from "./subject.ts";

/** Explains a decision without making it: the result of each check now. */
export function explainAsk(view: View, ask: DecisionAsk): ExplanationResult {
  const costOf = costsOf(view, ask);
  if (isRefusal(costOf)) return within("ask", costOf);
  const depth = chainDepth(ask.chain, (id) => view.hooks.placeInChain(view.sql, id));
  if (isRefusal(depth)) return within("ask", depth);
  const nanos = costOf(mostOutput(ask));
  const subject: Subject = {
    route: DECISION_ROUTE,
    keyId: view.actor.id,
    scopes: scopesOf(ask, { keyId: keyOf(view), chain: ask.chain?.chain_id }),
    attempt: { nanos, tokens: tokensOf(ask), depth },
    phase: checksAll(ask, view.profile().decisionDefaults.checks) ? "run" : "decision",
    content: { ...toCheckedRun(ask, view.now), model: ask.model },
    contentNanos: nanos,
  };
  const attempt = fittedAttempt(view, ask, subject, costOf);
  const checks = judgeChecks(candidatesFor(view, { ...subject, attempt }));
  return explanation({ subject: "ask", id: null }, view.now, attempt.nanos, checks);
}

/** Returns what would be reserved: as much as fits, if the call asks for that. */
function fittedAttempt(
  view: View,
  ask: DecisionAsk,
  { route, keyId, scopes, phase, attempt }: Subject,
  costOf: (outputTokens: number) => bigint,
): Attempt {
  const work = new UnitOfWork(view.sql, phase, view.now);
  const accounts = work.accounts({ scopes, atMs: view.now });
  const book = view.rates();
  const meters = rateMetersFor(book.policies(), { route, keyId, names: namesIn(scopes) });
  const roomIn = (unit: RatePolicy["unit"]): number | null => {
    const rooms = meters.filter(({ policy }) => policy.unit === unit);
    if (rooms.length === 0) return null;
    return Math.min(...rooms.map((meter) => book.standing(meter, 1).room));
  };
  const fit = { attempt, costOf, accounts, tokenRoom: roomIn("tokens"), nanosRoom: roomIn("usd") };
  return fitAsk(ask, fit).attempt;
}

/** The fields of the refusal, from the question. */
function within(parent: string, refusal: Refusal<"validation_failed">): Refusal<"validation_failed"> {
  const { fields } = refusal.details as { fields: { field: string }[] };
  return {
    ...refusal,
    details: { fields: fields.map((one) => ({ ...one, field: `${parent}.${one.field}` })) },
  };
}
