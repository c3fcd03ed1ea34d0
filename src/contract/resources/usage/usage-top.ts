import * as z from "zod";
import { momentInput } from "../../list.ts";
import { wholeNumber } from "../../query-numbers.ts";
import { NAMED_FIELDS, type ScopeField } from "../../scopes.ts";
import { usd, searchText } from "../../shapes.ts";

/** The names for which sums are kept by day. */
export const TOP_GROUPS = ["model", ...NAMED_FIELDS.map(([, field]) => field)] as [
  "model" | ScopeField,
  ...("model" | ScopeField)[],
];
export type TopGroup = (typeof TOP_GROUPS)[number];

export const TOP_ORDERS = ["cost_usd", "runs", "tokens", "change", "margin"] as const;
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
      "`change`: those first who spent most more or less than in the days before, also those who stopped spending. `margin`: only of customers; those first of whom least is left, then those who pay nothing that is known, the most expensive first.",
  }),
  contains: searchText.optional().meta({
    description: "Only names with this in them, in upper or lower case. `totals` are of all.",
    examples: ["acme"],
  }),
  limit: wholeNumber(1, 100).default(10),
});

const figures = { cost_usd: usd, runs: z.int(), tokens: z.int() };
const earned = {
  revenue_usd: usd.nullable().optional().meta({
    description:
      "What the customer pays for these days, until today. Null if nobody has set it. Only by customer, for whoever reads for the organization.",
  }),
  margin_usd: usd
    .nullable()
    .optional()
    .meta({ description: "`revenue_usd` less what the customer cost. Null and absent like it." }),
};
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
      .array(z.object({ name: z.string().nullable(), ...compared, ...earned }))
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
