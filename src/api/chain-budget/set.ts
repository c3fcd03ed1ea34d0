import { chainBudget, newChainBudget } from "../../contract/resources/chain-budget.ts";
import { operation } from "../../edge/request/operation.ts";

export const setChainBudget = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/chain-budget",
    summary: "Set the run chain budget",
    role: "admin",
    scope: "budgets:write",
    ifMatch: true,
    dryRun: true,
    body: newChainBudget,
    reply: { 200: chainBudget },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setChainBudget", call.body),
);
