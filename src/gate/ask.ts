import type { DecisionAsk } from "../contract/resources/decisions.ts";
import type { DecisionChecks } from "../domain/profile.ts";

export type { DecisionAsk };

export const DEFAULT_HOLD_SECONDS = 900;
export const DEFAULT_OUTPUT_TOKENS = 4096;

/** What a token limit counts of a call: the tokens it may use, as far as it states them. */
export function tokensOf({ estimate: { input_tokens, max_output_tokens } }: DecisionAsk): number {
  if (input_tokens === undefined && max_output_tokens === undefined) return 0;
  return (input_tokens ?? 0) + (max_output_tokens ?? DEFAULT_OUTPUT_TOKENS);
}

/** Whether a call is checked against everything that a run is: as it says, otherwise as its org says. */
export function checksAll(ask: Pick<DecisionAsk, "checks">, usual: DecisionChecks): boolean {
  return (ask.checks ?? usual) === "all";
}
