import { z } from "zod";
import { callerId, idShape } from "../../contract/ids.ts";
import { timestamp, usd, usdInput } from "../../contract/shapes.ts";
import { answerDecision } from "../../edge/decision/answer.ts";
import { operation } from "../../edge/operation.ts";
import { denial, modelName, tokens } from "../../contract/resources/runs.ts";

const verdict = z
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

export const decide = operation(
  {
    method: "POST",
    path: "/v1/edge/decision",
    summary: "Ask whether a run may go ahead",
    description:
      "Allow holds the amount against every limit that applies, until a run settles it, it is released or it expires. Deny is the refusal itself, to be relayed unchanged.",
    role: "developer",
    scope: "decisions:evaluate",
    servedAnywhere: true,
    bodyLimit: "decision",
    countsItself: true,
    body: z.strictObject({
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
    }),
    reply: { 200: verdict },
    refuses: ["rate_limited", "quota_exhausted", "spend_cap_exceeded", "budget_exceeded", "conflict"],
  },
  (call) => answerDecision(call, call.body),
);
