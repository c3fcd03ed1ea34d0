import { z } from "zod";
import { name, usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { alertThresholds, BUDGET_MODES, budget, period } from "../../contract/resources/budgets.ts";

export const changeBudget = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/budgets/{budget_id}",
    summary: "Change a budget",
    description:
      "A limit below what is spent refuses the next call. In another period, what was charged to the budget in it is counted anew.",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    ifMatch: true,
    body: z.strictObject({
      name: name.optional(),
      limit_usd: usdInput.optional(),
      period: period.optional(),
      mode: z.enum(BUDGET_MODES).optional(),
      alert_thresholds: alertThresholds.optional(),
    }),
    reply: { 200: budget },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changeBudget", { id: call.params.budget_id, ...call.body }),
);
