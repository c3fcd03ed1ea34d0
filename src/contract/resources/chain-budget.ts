import * as z from "zod";
import { usd, usdInput } from "../shapes.ts";
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
    max_cost_usd: usdInput.optional(),
    max_depth: z.int().min(0).max(1_000_000).optional(),
    max_tokens: tokens.optional(),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "must set at least one of max_cost_usd, max_depth and max_tokens",
    params: { code: "empty" },
  });
export type NewChainBudget = z.output<typeof newChainBudget>;
