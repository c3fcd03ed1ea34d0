import * as z from "zod";
import { momentInput } from "../../list.ts";
import { wholeNumber } from "../../query-numbers.ts";
import { NAMED_FIELDS, type ScopeField } from "../../scopes.ts";
import { usd } from "../../shapes.ts";

/** What sums are kept by day for. */
export const TOP_GROUPS = ["model", ...NAMED_FIELDS.map(([, field]) => field)] as [
  "model" | ScopeField,
  ...("model" | ScopeField)[],
];
export type TopGroup = (typeof TOP_GROUPS)[number];

export const TOP_ORDERS = ["cost_usd", "change"] as const;
export type TopOrder = (typeof TOP_ORDERS)[number];

const date = momentInput.meta({ description: "A day in UTC.", examples: ["2026-11-01"] });

export const topQuery = z.strictObject({
  by: z.enum(TOP_GROUPS),
  from: date.optional(),
  to: date.optional().meta({ description: "Not included. Default: tomorrow." }),
  previous_from: date.optional().meta({
    description:
      "The start of the days to compare with. They end with `previous_to`. Default: as many days, just before.",
  }),
  previous_to: date.optional(),
  sort: z.enum(TOP_ORDERS).default("cost_usd").meta({
    description:
      "`change`: those first who spent most more or less than in the days before, also those who stopped spending.",
  }),
  limit: wholeNumber(1, 100).default(10),
});

const figures = { cost_usd: usd, runs: z.int(), tokens: z.int() };
const compared = { ...figures, previous_cost_usd: usd, previous_runs: z.int() };

export const usageTop = z
  .object({
    by: z.enum(TOP_GROUPS),
    from: z.string(),
    to: z.string(),
    previous_from: z.string(),
    previous_to: z.string(),
    groups: z.int().meta({ description: "How many names there are, in all." }),
    totals: z.object(compared),
    data: z
      .array(z.object({ name: z.string().nullable(), ...compared }))
      .meta({ description: "The most expensive first, or what `sort` says. Null: all runs that name none." }),
    days: z.array(
      z.object({
        date: z.string(),
        cost_usd: usd,
        runs: z.int(),
        parts: z
          .array(z.object({ name: z.string(), cost_usd: usd }))
          .meta({ description: "The names of `data` that spent on this day." }),
      }),
    ),
  })
  .meta({ id: "UsageTop" });
export type UsageTop = z.output<typeof usageTop>;
