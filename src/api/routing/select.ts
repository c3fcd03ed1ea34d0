import { selection, selectionAsk } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/request/operation.ts";

export const selectModel = operation(
  {
    method: "POST",
    path: "/v1/routing/select",
    summary: "Choose the model for a call",
    description:
      "A model qualifies if policy allows it, the region serves it, it has a price, and it has a recent eval on enough samples whose lower confidence bound meets the minimum score.",
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
