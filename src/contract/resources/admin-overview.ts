import * as z from "zod";
import { idShape } from "../ids.ts";
import { name, timestamp, usd } from "../shapes.ts";

const count = z.int().min(0);
const wait = count.meta({
  description:
    "Milliseconds that its slowest call waited, its own body included. Compute time is not part of it.",
});

const byMinute = z.array(count);

const orgHour = z
  .object({ calls: byMinute, refusals: byMinute, errors: byMinute, slowest_wait_ms: wait })
  .meta({
    description:
      "The last 60 minutes, the one that is not over last. Minutes in which more than 500 organizations were called have the busiest; what a counter knew before it restarted is missing. Null: no calls are known.",
  });
export type OrgHour = z.output<typeof orgHour>;

export const overviewEntry = z
  .object({
    org_id: idShape("org"),
    name,
    status: z.enum(["active", "suspended"]),
    plan: z.string(),
    environment: z.enum(["live", "test"]),
    home_region: z.string(),
    month_to_date_usd: usd,
    runs_used: count,
    runs_limit: count.nullable(),
    tokens_used: count,
    tokens_limit: count.nullable(),
    plan_use: z.number().nullable().meta({
      description: "The larger part of the plan's runs or tokens that is used. Null if both are unlimited.",
    }),
    last_call_at: timestamp
      .nullable()
      .meta({ description: "The last call with a key of the org, to about 5 seconds." }),
    failing_webhooks: count.meta({ description: "Disabled after failures, or being retried." }),
    deprecated_callers: count.meta({
      description: "Keys that called deprecated routes in the last 30 days.",
    }),
    open_support_grants: count,
    calls_per_minute: count.meta({
      description:
        "Calls of the last minute with a key, session or token of the org, whatever org they named. Like those below, counted in memory.",
    }),
    refusals_per_minute: count,
    errors_per_minute: count,
    slowest_wait_ms: wait,
    last_hour: orgHour.nullable(),
    as_of: timestamp.nullable().meta({ description: "When the org last told this. Null: not yet." }),
  })
  .meta({ id: "OverviewEntry" });
export type OverviewEntry = z.output<typeof overviewEntry>;

export const OVERVIEW_SORTS = [
  "month_to_date_usd",
  "plan_use",
  "last_call_at",
  "failing_webhooks",
  "deprecated_callers",
  "open_support_grants",
  "name",
  "calls_per_minute",
  "refusals",
  "errors",
  "spend",
  "slowest",
] as const;

export const orgCallsTop = z
  .array(
    z.object({
      org_id: idShape("org"),
      calls: count,
      refusals: count,
      errors: count,
      slowest_wait_ms: wait,
      cpu_ms: z.number().meta({
        description: "Estimated from the kinds of its calls: the runtime does not tell what a call takes.",
      }),
    }),
  )
  .meta({ description: "The ten busiest organizations of the last minute, most calls first." });
export type OrgCallsTop = z.output<typeof orgCallsTop>;
