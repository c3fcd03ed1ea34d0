import { RESERVATION_HEADERS } from "../../contract/headers.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { FieldError } from "../../contract/error-details.ts";
import { headerOf } from "../../contract/resources/decisions/decision-headers.ts";
import type { Verdict } from "../../contract/resources/decisions/decisions.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import { answerDecision, type DecisionCall } from "./answer.ts";

type DecisionAnswer = Awaited<ReturnType<typeof answerDecision>>;

/** A decision for a proxy that asked in headers: its problems are named by them, and its reservation is told in them. */
export async function answerProxied(call: DecisionCall, ask: DecisionAsk): Promise<DecisionAnswer> {
  const answer = await answerDecision(call, ask);
  if (isRefusal(answer)) return inHeaders(answer);
  const verdict = JSON.parse(answer.text ?? "null") as Verdict;
  const { reservation, decision_id: decision } = verdict;
  call.headers[RESERVATION_HEADERS.decision] = decision;
  if (reservation !== null) {
    call.headers[RESERVATION_HEADERS.id] = reservation.id;
    call.headers[RESERVATION_HEADERS.amount] = reservation.amount_usd;
    call.headers[RESERVATION_HEADERS.expires] = reservation.expires_at;
    const { max_output_tokens: output } = reservation;
    if (output !== undefined) call.headers[RESERVATION_HEADERS.output] = String(output);
  }
  return answer;
}

function inHeaders<Code extends Refusal["code"]>(refusal: Refusal<Code>): Refusal<Code> {
  if (refusal.code !== "validation_failed") return refusal;
  const { fields } = refusal.details as { fields: readonly FieldError[] };
  const named = fields.map((error) => ({ ...error, field: headerOf(error.field) }));
  return { ...refusal, details: { fields: named } };
}
