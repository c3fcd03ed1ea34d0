import { operation } from "../../edge/request/operation.ts";
import { chainBudget } from "../../contract/resources/chain-budget.ts";

export const getChainBudget = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/chain-budget",
    summary: "Read the run chain budget",
    role: "viewer",
    scope: "budgets:read",
    reply: { 200: chainBudget },
    refuses: [],
  },
  (call) => call.org.query("getChainBudget", {}),
);
