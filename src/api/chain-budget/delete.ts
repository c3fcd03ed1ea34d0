import { operation } from "../../edge/request/operation.ts";

export const deleteChainBudget = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/chain-budget",
    summary: "Remove the run chain budget",
    role: "admin",
    scope: "budgets:write",
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteChainBudget", {}),
);
