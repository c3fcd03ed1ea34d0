import { adjustment, newAdjustment } from "../../contract/resources/adjustments.ts";
import { operation } from "../../edge/request/operation.ts";

export const adjustRun = operation(
  {
    method: "POST",
    path: "/v1/runs/{run_id}/adjustments",
    summary: "Adjust what a run cost",
    description:
      "Charges or gives back the difference, such as between a run and the provider's invoice, in the current period of every limit that the run was charged to. No limit refuses it. All adjustments together never give back more than the run cost.",
    role: "admin",
    scope: "runs:write",
    idempotent: true,
    givesBack: true,
    freeParams: ["run_id"],
    body: newAdjustment,
    reply: { 201: adjustment },
    refuses: ["conflict"],
  },
  (call) => call.org.command("adjustRun", { runId: call.params.run_id, ...call.body }),
);
