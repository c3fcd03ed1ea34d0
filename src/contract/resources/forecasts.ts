import * as z from "zod";
import { usd } from "../shapes.ts";
import { SCENARIOS } from "../lists.ts";
import { FORECAST_METRICS } from "../lists.ts";

const amount = z
  .union([z.string(), z.int()])
  .meta({ description: "Dollars are decimal strings. Runs and tokens are whole numbers." });

const date = z.string().meta({ description: "A day in UTC.", examples: ["2026-08-01"] });

export const capacityForecasts = z
  .object({
    data: z.array(
      z.object({
        scenario: z.enum(SCENARIOS),
        metric: z.enum(FORECAST_METRICS),
        method: z
          .string()
          .meta({ description: "The model that best predicted the organization's own history." }),
        trained_on_days: z.int(),
        points: z.array(z.object({ date, p10: amount, p50: amount, p90: amount })),
        exhaustion: z
          .array(z.object({ budget_id: z.string(), p50_date: date.nullable(), p90_date: date.nullable() }))
          .meta({
            description:
              "The day each budget is used up at median usage and at high usage (p90), which is never later. Null if not within the horizon.",
          }),
        diminishing_returns: z
          .object({
            exponent: z.number(),
            source: z.enum(["fitted", "assumed"]),
            curve: z.array(z.object({ capacity: z.number(), total: amount, marginal: z.number() })),
          })
          .meta({ description: "Usage over the horizon for multiples of today's capacity." }),
      }),
    ),
  })
  .meta({ id: "CapacityForecasts" });
export type CapacityForecasts = z.output<typeof capacityForecasts>;

export const linearForecast = z.object({
  deployment_id: z.string(),
  teams: z.int(),
  projected_return_usd: usd,
  method: z.literal("linear"),
});
