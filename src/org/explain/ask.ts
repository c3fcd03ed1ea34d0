import { DECISION_ROUTE } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { askedRun } from "../../domain/asked-run.ts";
import { checksAll, type DecisionAsk, tokensOf } from "../../gate/ask.ts";
import { scopesOf } from "../../domain/touch.ts";
import { depthIn } from "../checks/depth.ts";
import { estimateOf } from "../decisions/decide.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { View } from "../kernel/door.ts";
import { candidatesFor } from "./candidates.ts";
import { judged } from "./check.ts";
import { type Explained, explanation } from "./explanation.ts";

/** Explains a decision without making it: the result of each check now. */
export function explainAsk(view: View, ask: DecisionAsk): Explained {
  const nanos = estimateOf(view, ask);
  if (isRefusal(nanos)) return within("ask", nanos);
  const depth = depthIn(ask.chain, (id) => view.hooks.placeInChain(view.sql, id));
  if (isRefusal(depth)) return within("ask", depth);
  const checks = judged(
    candidatesFor(view, {
      route: DECISION_ROUTE,
      keyId: view.actor.id,
      scopes: scopesOf(ask, { keyId: keyOf(view), chain: ask.chain?.chain_id }),
      attempt: { nanos, tokens: tokensOf(ask), depth },
      phase: checksAll(ask, view.profile().decisionDefaults.checks) ? "run" : "decision",
      content: { ...askedRun(ask, view.now), model: ask.model },
    }),
  );
  return explanation({ subject: "ask", id: null }, view.now, nanos, checks);
}

/** The fields of the refusal, from the question. */
function within(parent: string, refusal: Refusal<"validation_failed">): Refusal<"validation_failed"> {
  const { fields } = refusal.details as { fields: { field: string }[] };
  return {
    ...refusal,
    details: { fields: fields.map((one) => ({ ...one, field: `${parent}.${one.field}` })) },
  };
}
