import { z } from "zod";
import { callerId, idShape } from "../ids.ts";
import { timestamp, usd, usdInput } from "../shapes.ts";
import { denial, modelName, tokens } from "./runs.ts";

/** May this go ahead? As asked at `POST /v1/edge/decision`. */
export const decisionAsk = z.strictObject({
  request_id: callerId.optional(),
  model: modelName.optional(),
  action: callerId.optional(),
  workflow_id: callerId.optional(),
  deployment_id: callerId.optional(),
  department_id: callerId.optional(),
  customer_id: callerId.optional(),
  estimate: z.strictObject({
    cost_usd: usdInput.optional(),
    input_tokens: tokens.optional(),
    max_output_tokens: tokens.optional(),
  }),
  hold_seconds: z.int().min(30).max(86_400).optional(),
  dry_run: z.boolean().optional(),
});
export type DecisionAsk = z.output<typeof decisionAsk>;

export const verdict = z
  .object({
    decision: z.enum(["allow", "deny"]).meta({ description: "`deny` only in a dry run." }),
    decision_id: idShape("dec"),
    reservation: z
      .object({ id: idShape("rsv"), amount_usd: usd, expires_at: timestamp })
      .nullable()
      .meta({ description: "What is held; null in a dry run." }),
    limits: z.array(
      z.object({
        kind: z.string(),
        id: z.string(),
        available_usd: usd.optional(),
        available: z.number().optional(),
      }),
    ),
    would_deny: denial.nullable().optional(),
    shadow: z
      .array(denial)
      .optional()
      .meta({ description: "What limits in shadow mode would have refused." }),
    evaluated_at: timestamp,
  })
  .meta({ id: "Verdict" });
export type Verdict = z.output<typeof verdict>;
