/** A run as it is reported, already checked against its shape. */
export interface RunInput {
  readonly id?: string | undefined;
  readonly started_at: string;
  readonly ended_at?: string | undefined;
  readonly model: string;
  readonly action?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly deployment_id?: string | undefined;
  readonly department_id?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly chain?: { readonly chain_id: string; readonly parent_run_id?: string | undefined } | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly cost_usd?: string | undefined;
  readonly reservation_id?: string | undefined;
  readonly incurred?: boolean | undefined;
  /** Scanned, never stored. */
  readonly input?: unknown;
  readonly approval_id?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
