export const DECISION_PATH = "/v1/edge/decision";
export const DECISION_ROUTE = `POST ${DECISION_PATH}`;

export const DEFAULT_HOLD_SECONDS = 900;
export const DEFAULT_OUTPUT_TOKENS = 4096;

/** May this go ahead? As asked at `POST /v1/edge/decision`, already checked against its shape. */
export interface DecisionAsk {
  readonly request_id?: string | undefined;
  readonly model?: string | undefined;
  readonly action?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly deployment_id?: string | undefined;
  readonly department_id?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly estimate: {
    readonly cost_usd?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly max_output_tokens?: number | undefined;
  };
  readonly hold_seconds?: number | undefined;
  readonly dry_run?: boolean | undefined;
}

/** What a limit on tokens counts of a call: what it may use, as far as it says. */
export function tokensOf({ estimate: { input_tokens, max_output_tokens } }: DecisionAsk): number {
  if (input_tokens === undefined && max_output_tokens === undefined) return 0;
  return (input_tokens ?? 0) + (max_output_tokens ?? DEFAULT_OUTPUT_TOKENS);
}
