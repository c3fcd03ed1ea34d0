import * as z from "zod";
import { pageOf } from "../list.ts";
import { PERIODS, SPENT_PERIODS } from "../lists.ts";
import { resetTime, timestamp, usd } from "../shapes.ts";
import { creditPack } from "./credit-packs.ts";

const limit = z.object({
  id: z.string(),
  period: z.enum(PERIODS),
  limit_usd: usd,
  spent_usd: usd,
  reserved_usd: usd,
  available_usd: usd,
  period_start: timestamp,
  period_end: timestamp.nullable(),
  resets_at: resetTime
    .nullable()
    .meta({ description: "When the limit starts over, with the offset `+00:00`. Null: never." }),
});

const standing = z.object({
  customer_id: z.string(),
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

export const customerPage = pageOf(customerStanding);

export const newCustomerToken = z.strictObject({ ttl_seconds: z.int().min(60).max(86_400) });

export const customerToken = z
  .object({
    token: z.string().meta({ description: "A bearer token. Shown once." }),
    expires_at: timestamp,
  })
  .meta({ id: "CustomerToken" });
