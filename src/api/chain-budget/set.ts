import { z } from "zod";
import { usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { tokens } from "../../contract/resources/runs.ts";
import { chainBudget } from "../../contract/resources/chain-budget.ts";

const limits = z
  .strictObject({
    max_cost_usd: usdInput.optional(),
    max_depth: z.int().min(0).max(1_000_000).optional(),
    max_tokens: tokens.optional(),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "must set at least one of max_cost_usd, max_depth and max_tokens",
    params: { code: "empty" },
  });

export const setChainBudget = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/chain-budget",
    summary: "Set the budget of every run chain",
    role: "admin",
    scope: "budgets:write",
    ifMatch: true,
    body: limits,
    reply: { 200: chainBudget },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setChainBudget", call.body),
);
