import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { optionalOrNull, usd, usdInput } from "../shapes.ts";
import { tokens } from "./runs/runs.ts";

export const chainBudget = z
  .object({
    max_cost_usd: usd.nullable(),
    max_depth: z.int().nullable(),
    max_tokens: z.int().nullable(),
  })
  .meta({ id: "ChainBudget" });
export type ChainBudget = z.output<typeof chainBudget>;

export const newChainBudget = withRule(
  z.strictObject({
    max_cost_usd: optionalOrNull(usdInput).meta({ description: "Dollars of a whole chain. Null: no limit." }),
    max_depth: optionalOrNull(z.int().min(0).max(1_000_000)),
    max_tokens: optionalOrNull(tokens),
  }),
  (input, { complain, isWrong }) => {
    const isGiven = (field: keyof typeof input) => input[field] !== undefined || isWrong(field);
    if (isGiven("max_cost_usd") || isGiven("max_depth") || isGiven("max_tokens")) return;
    complain([], "empty", "must set at least one of max_cost_usd, max_depth and max_tokens");
  },
);
export type NewChainBudget = z.output<typeof newChainBudget>;
