import { operation } from "../../edge/request/operation.ts";

export const deleteSpendCap = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/spend-cap",
    summary: "Remove the daily spend cap",
    role: "admin",
    scope: "budgets:write",
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteSpendCap", {}),
);
