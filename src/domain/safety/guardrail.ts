import { askOf, type AskHeaders } from "../../contract/resources/decisions/decision-headers.ts";
import type { DecisionAsk } from "../../contract/resources/decisions/decisions.ts";
import type { GuardrailAsk, GuardrailReply } from "../../contract/resources/guardrail.ts";
import { DECISION_DENIALS } from "../../contract/decision-codes.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { mostTokensIn } from "../text/token-bound.ts";

/** The most tokens that its texts have, which are as many as their bytes. */
export function boundOfTexts({ texts }: GuardrailAsk): number {
  return (texts ?? []).reduce((sum, text) => sum + mostTokensIn(text), 0);
}

/**
 * Returns what LiteLLM's request asks. Headers come from its configuration and take precedence; what its callers can
 * set beyond that is not read. Without an estimate the texts are priced by the model.
 */
export function guardrailDecision(headers: AskHeaders, asked: GuardrailAsk): DecisionAsk {
  const ask = askOf(headers);
  const about = asked.request_data ?? {};
  const { cost_usd, input_tokens } = ask.estimate;
  return {
    ...ask,
    model: ask.model ?? asked.model ?? undefined,
    customer_id: ask.customer_id ?? about.user_api_key_end_user_id ?? undefined,
    department_id: ask.department_id ?? about.user_api_key_team_id ?? undefined,
    user_id: ask.user_id ?? about.user_api_key_user_id ?? undefined,
    estimate:
      cost_usd === undefined
        ? { ...ask.estimate, input_tokens: input_tokens ?? boundOfTexts(asked) }
        : ask.estimate,
  };
}

const DENIALS: ReadonlySet<string> = new Set(DECISION_DENIALS);

/** A denial as LiteLLM understands it. Null for what is no verdict on the call, and stays an error. */
export function blockedBy({ code, message, details }: Refusal): GuardrailReply | null {
  if (!DENIALS.has(code)) return null;
  return {
    action: "BLOCKED",
    blocked_reason: `${message} (${code})`,
    error: { code, message, details: details as Record<string, unknown> },
  };
}
