import { z } from "zod";
import { callerId } from "../../contract/ids.ts";
import { name, usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import {
  alertThresholds,
  BUDGET_MODES,
  BUDGET_SCOPES,
  budget,
  period,
} from "../../contract/resources/budgets.ts";

const newBudget = z
  .strictObject({
    name: name.optional(),
    scope_kind: z.enum(BUDGET_SCOPES),
    scope_id: callerId.optional().meta({ description: "Absent for the whole organization." }),
    limit_usd: usdInput,
    period,
    mode: z.enum(BUDGET_MODES).default("enforce"),
    alert_thresholds: alertThresholds.default([]),
  })
  .superRefine((budgetInput, context) => {
    const isOrg = budgetInput.scope_kind === "org";
    if (isOrg === (budgetInput.scope_id === undefined)) return;
    context.addIssue({
      code: "custom",
      path: ["scope_id"],
      message: isOrg ? "must be absent for a budget of the organization" : "is required for this scope",
      params: { code: isOrg ? "invalid_value" : "required" },
    });
  });

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
