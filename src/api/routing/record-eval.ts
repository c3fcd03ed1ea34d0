import { evalResult, newEval } from "../../contract/resources/routing.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";

export const recordEval = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/evals",
    summary: "Report a model's result on an eval suite",
    role: "admin",
    scope: "routing:write",
    idempotent: true,
    body: newEval,
    reply: { 201: evalResult },
    refuses: [],
  },
  (call) => {
    const { run_at, ...result } = call.body;
    return call.org.command("recordEval", { ...result, runAt: parseTimestamp(run_at) ?? 0 });
  },
);
