import { z } from "zod";
import { usd } from "../shapes.ts";

export const chainBudget = z
  .object({
    max_cost_usd: usd.nullable(),
    max_depth: z.int().nullable(),
    max_tokens: z.int().nullable(),
  })
  .meta({ id: "ChainBudget" });
