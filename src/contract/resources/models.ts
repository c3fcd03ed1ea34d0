import { z } from "zod";
import { timestamp, usd } from "../shapes.ts";

export const model = z
  .object({
    model: z.string(),
    input_usd_per_mtok: usd.meta({ description: "For a million input tokens." }),
    output_usd_per_mtok: usd.meta({ description: "For a million output tokens." }),
    regions: z.array(z.string()).nullable().meta({ description: "Where it may run; null is everywhere." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Model" });
