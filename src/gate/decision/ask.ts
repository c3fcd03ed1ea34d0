import { DEFAULT_OUTPUT_TOKENS, isInTokens } from "../../contract/decision.ts";
import type { DecisionAsk } from "../../contract/resources/decisions/decisions.ts";
import type { UsageBound } from "../../domain/price/ceiling.ts";
import type { DecisionChecks, ExpiryAction } from "../../domain/tenant/profile.ts";

export { DEFAULT_OUTPUT_TOKENS } from "../../contract/decision.ts";
export type { DecisionAsk };

export const DEFAULT_HOLD_SECONDS = 900;

/** Returns what a token limit counts of a call: the tokens it may use, as far as it states them. */
export function tokensOf(ask: DecisionAsk): number {
  return isInTokens(ask.estimate) ? (ask.estimate.input_tokens ?? 0) + mostOutput(ask) : 0;
}

/** How many output tokens a call asks for at most. */
export function mostOutput({ estimate }: Pick<DecisionAsk, "estimate">): number {
  return estimate.max_output_tokens ?? (isInTokens(estimate) ? DEFAULT_OUTPUT_TOKENS : 0);
}

/** Returns what a call may use with so many output tokens. */
export function mostUsed({ estimate }: DecisionAsk, outputTokens: number): UsageBound {
  return { inputTokens: estimate.input_tokens ?? 0, outputTokens, units: estimate.units };
}

/** The same call with another bound on its output. */
export function withOutput(ask: DecisionAsk, outputTokens: number): DecisionAsk {
  return { ...ask, estimate: { ...ask.estimate, max_output_tokens: outputTokens } };
}

/** Returns what there must be room for, if the call is to be allowed. */
export function leastOf(ask: DecisionAsk): DecisionAsk {
  const { min_output_tokens: least } = ask.estimate;
  return least === undefined ? ask : withOutput(ask, least);
}

/** The bound that an allow tells its caller, who asked for what fits. Null if the caller asked for a fixed amount. */
export function allowedOutput(ask: DecisionAsk): number | null {
  return ask.estimate.min_output_tokens === undefined ? null : mostOutput(ask);
}

/** Returns whether a call is checked against everything that a run is: as it says, otherwise as its org says. */
export function checksAll(ask: Pick<DecisionAsk, "checks">, usual: DecisionChecks): boolean {
  return (ask.checks ?? usual) === "all";
}

/** Returns whether a reservation that nobody settles becomes a run: as its call says, else as its org does. */
export function chargesOnExpiry(ask: Pick<DecisionAsk, "on_expiry">, usual: ExpiryAction): boolean {
  return (ask.on_expiry ?? usual) === "charge";
}
