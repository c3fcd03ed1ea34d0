import { z } from "zod";
import { operation } from "../../edge/operation.ts";

const tokens = z.int().min(0).max(1_000_000_000_000);

export const selectModel = operation(
  {
    method: "POST",
    path: "/v1/routing/select",
    summary: "Choose the model for a call",
    description:
      "Allowed by policy, served in the region, priced, evaluated freshly on enough samples, and the lower confidence bound of its score at the bar.",
    role: "developer",
    scope: "routing:read",
    body: z.strictObject({
      input_tokens: tokens.optional().meta({ description: "1000 when absent." }),
      max_output_tokens: tokens.optional().meta({ description: "4096 when absent." }),
      region: z.string().min(1).max(64).optional().meta({ description: "When absent, any region will do." }),
    }),
    reply: {
      200: z
        .object({
          model: z.string(),
          reason: z.enum(["cheapest", "best", "fallback"]),
          considered: z.array(z.object({ model: z.string(), eligible: z.boolean(), why: z.string() })),
        })
        .meta({ id: "RoutingSelection" }),
    },
    refuses: ["conflict", "no_model_passes_eval", "policy_expression_error"],
  },
  ({ org, body }) =>
    org.query("selectModel", {
      inputTokens: body.input_tokens ?? 1_000,
      maxOutputTokens: body.max_output_tokens ?? 4_096,
      region: body.region,
    }),
);
