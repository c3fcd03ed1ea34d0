import * as z from "zod";
import { idShape } from "../ids.ts";
import { name, timestamp } from "../shapes.ts";
import { COHORT_METRICS } from "../lists.ts";

const month = z.string().meta({ description: "A calendar month in UTC, `YYYY-MM`.", examples: ["2026-08"] });

export const benchmarkProfile = z
  .object({
    contributing: z.boolean(),
    counts_from: month.nullable().meta({ description: "The month in which the last change takes effect." }),
  })
  .meta({ id: "BenchmarkProfile" });
export type BenchmarkProfileResource = z.output<typeof benchmarkProfile>;

export const cohort = z
  .object({ id: idShape("coh"), name, metric: z.enum(COHORT_METRICS), created_at: timestamp })
  .meta({ id: "Cohort" });
export type CohortResource = z.output<typeof cohort>;

const value = z
  .union([z.string(), z.number()])
  .meta({ description: "A decimal string in dollars if the metric is money, otherwise a number." });

export const cohortReading = cohort
  .extend({
    month: month.meta({ description: "The month of these figures." }),
    p25: value,
    p50: value,
    p75: value,
    own_value: value.nullable().meta({ description: "Your own figure for that month." }),
  })
  .meta({ id: "CohortReading" });
export type CohortReading = z.output<typeof cohortReading>;

export const cohortWithMembers = cohort
  .extend({ org_ids: z.array(z.string()) })
  .meta({ id: "CohortWithMembers" });
export type CohortWithMembers = z.output<typeof cohortWithMembers>;

const MOST_MEMBERS = 5_000;

const orgIds = z
  .array(idShape("org"))
  .max(MOST_MEMBERS)
  .transform((ids) => [...new Set(ids)]);

export const newCohort = z.strictObject({ name, metric: z.enum(COHORT_METRICS), org_ids: orgIds });

export const benchmarkChoice = z.strictObject({ contributing: z.boolean() });

export const cohortMembers = z.strictObject({
  org_ids: orgIds,
  name: name.optional(),
  metric: z.enum(COHORT_METRICS).optional(),
});
