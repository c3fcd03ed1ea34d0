import { budget, newBudget } from "../../contract/resources/budgets.ts";
import { operation } from "../../edge/operation.ts";

export const createBudget = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/budgets",
    summary: "Create a budget",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    body: newBudget,
    reply: { 201: budget },
    refuses: [],
  },
  (call) => call.org.command("createBudget", call.body),
);
