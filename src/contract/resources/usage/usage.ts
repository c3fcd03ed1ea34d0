import * as z from "zod";
import { usd } from "../../shapes.ts";
const figures = { cost_usd: usd, runs: z.int(), tokens: z.int() };

const named = z.object({ name: z.string(), ...figures });

export const usage = z
  .object({
    by_day: z.array(z.object({ date: z.string(), ...figures })),
    by_model: z.array(named).meta({ description: "The 50 most expensive, most expensive first." }),
    by_workflow: z.array(named).meta({ description: "The 50 most expensive, most expensive first." }),
  })
  .meta({ id: "Usage" });
