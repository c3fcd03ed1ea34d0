import { explainBody, explanation } from "../../contract/resources/explain.ts";
import { reportRefusals } from "../../edge/decision/note-refusal.ts";
import { operation } from "../../edge/request/operation.ts";

export const explainCall = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/explain",
    summary: "Explain a decision or a run",
    description:
      "Every check in the order in which they are made, for what happened (`trace_id`, `refusal_id`, `reservation_id`, `run_id`) or would happen (`ask`). Nothing is reserved or changed.",
    role: "viewer",
    scope: "runs:read",
    servedAnywhere: true,
    reads: true,
    repeatable: true,
    body: explainBody,
    reply: { 200: explanation },
    refuses: [],
  },
  async (call) => {
    await reportRefusals(call);
    return call.org.command("explain", call.body);
  },
);
