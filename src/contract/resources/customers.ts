import * as z from "zod";
import { pageOf } from "../list.ts";
import { PERIODS, SPENT_PERIODS } from "../lists.ts";
import { withRule } from "../field-rules.ts";
import { checkRange, momentInput } from "../list.ts";
import { name, optionalOrNull, resetTime, searchText, timestamp, usd, usdInput } from "../shapes.ts";
import { creditPack } from "./credit-packs.ts";
import { overUsd } from "./customer-limits.ts";

const limit = z.object({
  id: z.string(),
  period: z.enum(PERIODS),
  limit_usd: usd,
  spent_usd: usd,
  reserved_usd: usd,
  available_usd: usd,
  over_usd: overUsd,
  period_start: timestamp,
  period_end: timestamp.nullable(),
  resets_at: resetTime
    .nullable()
    .meta({ description: "When the limit starts over, with the offset `+00:00`. Null: never." }),
});

/** A hundred thousand percent. With it, what the largest costs earn can still be written as an exact amount. */
const MOST_MARKUP = 1000;

const markup = usdInput.refine((text) => Number(text) <= MOST_MARKUP, {
  message: `must be at most ${MOST_MARKUP}`,
  params: { code: "out_of_range" },
});

export const newCustomer = z.strictObject({
  name: optionalOrNull(name),
  revenue: optionalOrNull(
    z.strictObject({
      usd_per_month: optionalOrNull(usdInput).meta({
        description:
          "What the customer pays for a calendar month. Reports count the part that is in their range.",
        examples: ["500.00"],
      }),
      markup: optionalOrNull(markup).meta({
        description:
          "What the customer pays on top of its cost, as a share of it: with `0.3` it pays 1.3 times what it costs. 0 to 1000, with at most 9 decimal places.",
        examples: ["0.3"],
      }),
    }),
  ).meta({ description: "What the customer pays you. With both, their sum. Left out: nothing is known." }),
});
export type NewCustomer = z.output<typeof newCustomer>;

/** For whom revenue is shown is said once. */
const FOR_THE_ORG = "Absent for support, and for customers with a token.";

const standing = z.object({
  customer_id: z.string(),
  name: z.string().nullable(),
  revenue: z
    .object({
      usd_per_month: usd.nullable(),
      markup: z
        .string()
        .nullable()
        .meta({ examples: ["0.3"] }),
    })
    .nullable()
    .optional()
    .meta({ description: `What the customer pays you. Null if nobody has set it. ${FOR_THE_ORG}` }),
  revenue_usd: usd
    .nullable()
    .optional()
    .meta({ description: `What it pays for the days asked for. Null without \`revenue\`. ${FOR_THE_ORG}` }),
  margin_usd: usd
    .nullable()
    .optional()
    .meta({
      description: `\`revenue_usd\` less what it cost on these days. Null without \`revenue\`. ${FOR_THE_ORG}`,
    }),
  spent: z
    .array(
      z.object({
        period: z.enum(SPENT_PERIODS),
        period_start: timestamp,
        period_end: timestamp.nullable(),
        spent_usd: usd,
        runs: z.int(),
        tokens: z.int(),
      }),
    )
    .meta({ description: "Runs that started in the current day, week and month, in UTC." }),
  limits: z.array(limit).meta({ description: 'The limits that apply: its own, or those for `"*"`.' }),
  credits: z
    .object({ remaining_usd: usd.meta({ description: "Of all live packs." }), packs: z.array(creditPack) })
    .nullable()
    .meta({ description: "Live and scheduled packs. Null if there is none." }),
  last_run_on: z
    .string()
    .nullable()
    .meta({ description: "The UTC day on which its last run started, also if the run was deleted." }),
});
export const customerStanding = standing.meta({ id: "CustomerStanding" });
export type CustomerStanding = z.output<typeof customerStanding>;

export const customerDetail = standing
  .extend({
    last_run: z
      .object({ id: z.string(), started_at: timestamp, model: z.string(), cost_usd: usd })
      .nullable()
      .meta({ description: "Null if there is none, or retention deleted it." }),
  })
  .meta({ id: "Customer" });

const earnedDays = {
  from: momentInput.optional().meta({
    description: "The first day (UTC) of `revenue_usd` and `margin_usd`. Default: that of the current month.",
  }),
  to: momentInput
    .optional()
    .meta({ description: "Not included. At most 90 days after `from`. Default: tomorrow." }),
};
export const customerQuery = withRule(z.strictObject(earnedDays), checkRange);

export const customerPage = pageOf(customerStanding);

export const customerPart = searchText.meta({
  description: "A part of a name, in upper or lower case, or the beginning of an id.",
  examples: ["acme"],
});

export const newCustomerToken = z.strictObject({ ttl_seconds: z.int().min(60).max(86_400) });

export const customerToken = z
  .object({
    token: z.string().meta({ description: "A bearer token. Shown once." }),
    expires_at: timestamp,
  })
  .meta({ id: "CustomerToken" });
