import * as z from "zod";
import { METER_KINDS, type MeterKind } from "../meter-kinds.ts";
import { SCOPE_KINDS } from "../scopes.ts";
import { resetTime, timestamp, usd } from "../shapes.ts";

/** Chains end with their last run, and the credits of a customer are the sum of its packs: neither is listed. */
const LISTED = METER_KINDS.filter((kind) => !kind.startsWith("chain_") && kind !== "credits") as [
  MeterKind,
  ...MeterKind[],
];

const amount = z
  .union([z.string(), z.int()])
  .meta({ description: "Dollars as a decimal string, or a number of runs or tokens." });

export const limitInUse = z
  .object({
    kind: z.enum(LISTED),
    id: z.string(),
    name: z.string().nullable(),
    scope_kind: z.enum([...SCOPE_KINDS] as [string, ...string[]]),
    scope_id: z.string().nullable().meta({
      description: 'Under a limit for `"*"`, the customer who is counted.',
    }),
    period: z.string(),
    mode: z.enum(["enforce", "shadow"]),
    limit: amount,
    spent: amount,
    reserved: amount,
    available: amount,
    used: z
      .number()
      .meta({ description: "The share that is spent and reserved. Above 1 if facts exceeded it." }),
    period_start: timestamp.meta({ description: "What it counts began then." }),
    resets_at: resetTime
      .nullable()
      .meta({ description: "When it resets or expires, with the offset of its time zone. Null: never." }),
    runs_out_at: timestamp.nullable().meta({
      description: "When it is used up at the pace of its current period. Null if not before it resets.",
    }),
    forecast: z
      .object({
        p50_date: z.string().nullable(),
        p90_date: z.string().nullable(),
      })
      .nullable()
      .meta({
        description:
          "The day on which it is used up at median usage and at high usage (p90), in UTC. A date is null if it is not before the limit resets, or not in the next 30 days. Null without `forecast=true`, for limits that do not count dollars, and with less than 14 days of history.",
      }),
  })
  .meta({ id: "LimitInUse" });
export type LimitInUse = z.output<typeof limitInUse>;

export const limitsInUse = z
  .object({
    reserved_usd: usd.meta({ description: "What all open reservations hold." }),
    count: z.int().meta({ description: "How many limits there are, in all." }),
    data: z.array(limitInUse).meta({
      description: "Used up first, then what runs out next, then by the share that is used.",
    }),
  })
  .meta({ id: "LimitsInUse" });
export type LimitsInUse = z.output<typeof limitsInUse>;
