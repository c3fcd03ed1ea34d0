import * as z from "zod";
import { optionalOrNull, usd, usdInput } from "../shapes.ts";
import { tokens } from "./runs.ts";

export const chainBudget = z
  .object({
    max_cost_usd: usd.nullable(),
    max_depth: z.int().nullable(),
    max_tokens: z.int().nullable(),
  })
  .meta({ id: "ChainBudget" });
export type ChainBudget = z.output<typeof chainBudget>;

export const newChainBudget = z
  .strictObject({
    max_cost_usd: optionalOrNull(usdInput).meta({ description: "Dollars of a whole chain. Null: no limit." }),
    max_depth: optionalOrNull(z.int().min(0).max(1_000_000)),
    max_tokens: optionalOrNull(tokens),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "must set at least one of max_cost_usd, max_depth and max_tokens",
    params: { code: "empty" },
  });
export type NewChainBudget = z.output<typeof newChainBudget>;
