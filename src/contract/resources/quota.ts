import { z } from "zod";
import { usd } from "../shapes.ts";

export const quota = z
  .object({
    balance_usd: usd,
    reserved_usd: usd,
    available_usd: usd,
    overdrawn_usd: usd.meta({ description: "What facts took beyond the balance." }),
    low_balance_usd: usd.nullable().meta({ description: "Below this, `quota.low` is announced." }),
  })
  .meta({ id: "Quota" });
