import * as z from "zod";
import { METERS } from "../meter-kinds.ts";
import { callerId, idShape } from "../ids.ts";
import { timestamp, usd, usdInput } from "../shapes.ts";
import { alertThresholds, shownThresholds } from "./budgets/alert-thresholds.ts";
import { period } from "./budgets/budgets.ts";

export const overUsd = usd.meta({
  description:
    "The part of `spent_usd` that is past the limit because it had already happened: of runs that settle a reservation or are reported as incurred, and of adjustments.",
});

export const customerLimit = z
  .object({
    id: idShape(METERS.customer_limit.idPrefix),
    customer_id: z
      .string()
      .meta({ description: '`"*"` applies to every customer without a limit of its own.' }),
    limit_usd: usd,
    period,
    alert_thresholds: shownThresholds,
    spent_usd: usd.nullable().meta({ description: 'Null for `"*"`, which counts each customer separately.' }),
    reserved_usd: usd.nullable(),
    available_usd: usd.nullable(),
    over_usd: overUsd.nullable(),
    period_start: timestamp,
    period_end: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: "CustomerLimit" });
export type CustomerLimit = z.output<typeof customerLimit>;

export const newCustomerLimit = z.strictObject({
  customer_id: callerId,
  limit_usd: usdInput,
  period,
  alert_thresholds: alertThresholds.optional(),
});
export type NewCustomerLimit = z.output<typeof newCustomerLimit>;

export const customerLimitChange = z.strictObject({
  limit_usd: usdInput.optional(),
  period: period.optional(),
  alert_thresholds: alertThresholds.optional(),
});
export type CustomerLimitChange = z.output<typeof customerLimitChange>;
