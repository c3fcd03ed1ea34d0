import { DEFAULT_OUTPUT_TOKENS, isInTokens } from "../../contract/decision.ts";
import type { DecisionAsk } from "../../contract/resources/decisions/decisions.ts";
import type { JudgedRun } from "../policy/attempt.ts";

/** A run, or one that is asked for, as rules and detectors read it. */
export type CheckedRun = JudgedRun & {
  readonly approval_id?: string | undefined;
  readonly input?: unknown;
};

/** The run that is asked for, with the most that it may use. */
export function toCheckedRun(ask: Omit<DecisionAsk, "request_id" | "dry_run">, now: number): CheckedRun {
  const {
    estimate,
    request_id: _request,
    dry_run: _dry,
    hold_seconds: _hold,
    checks: _checks,
    on_expiry: _expiry,
    ...rest
  }: DecisionAsk = ask;
  const { input_tokens: input, max_output_tokens: output, units } = estimate;
  return {
    ...rest,
    model: ask.model ?? "",
    started_at: new Date(now).toISOString(),
    usage: {
      input_tokens: input ?? 0,
      output_tokens: output ?? (isInTokens(estimate) ? DEFAULT_OUTPUT_TOKENS : 0),
      ...(units === undefined ? {} : { units }),
    },
  } as CheckedRun;
}
