import { DEFAULT_OUTPUT_TOKENS } from "../contract/decision.ts";
import type { DecisionAsk } from "../contract/resources/decisions.ts";
import type { DecisionChecks, ExpiryAction } from "../domain/profile.ts";

export { DEFAULT_OUTPUT_TOKENS } from "../contract/decision.ts";
export type { DecisionAsk };

export const DEFAULT_HOLD_SECONDS = 900;

/** What a token limit counts of a call: the tokens it may use, as far as it states them. */
export function tokensOf({ estimate: { input_tokens, max_output_tokens } }: DecisionAsk): number {
  if (input_tokens === undefined && max_output_tokens === undefined) return 0;
  return (input_tokens ?? 0) + (max_output_tokens ?? DEFAULT_OUTPUT_TOKENS);
}

/** Whether a call is checked against everything that a run is: as it says, otherwise as its org says. */
export function checksAll(ask: Pick<DecisionAsk, "checks">, usual: DecisionChecks): boolean {
  return (ask.checks ?? usual) === "all";
}

/** Whether a reservation that nobody settles becomes a run: as its call says, else as its org does. */
export function chargesOnExpiry(ask: Pick<DecisionAsk, "on_expiry">, usual: ExpiryAction): boolean {
  return (ask.on_expiry ?? usual) === "charge";
}
