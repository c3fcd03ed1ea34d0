import { selection, selectionAsk } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/operation.ts";

export const selectModel = operation(
  {
    method: "POST",
    path: "/v1/routing/select",
    summary: "Choose the model for a call",
    description:
      "Allowed by policy, served in the region, priced, evaluated freshly on enough samples, and the lower confidence bound of its score at the bar.",
    role: "developer",
    scope: "routing:read",
    body: selectionAsk,
    reply: { 200: selection },
    refuses: ["conflict", "no_model_passes_eval", "policy_expression_error"],
  },
  ({ org, body }) =>
    org.query("selectModel", {
      inputTokens: body.input_tokens ?? 1_000,
      maxOutputTokens: body.max_output_tokens ?? 4_096,
      region: body.region,
    }),
);
