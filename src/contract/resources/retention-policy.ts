import * as z from "zod";
import { timestamp } from "../shapes.ts";
import { RETENTION_BOUNDS } from "../lists.ts";

const days = ({ min, max }: { min: number; max: number }) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ description: `Days, ${min} to ${max}.` });

export const retentionFields = {
  runs_days: days(RETENTION_BOUNDS.runsDays),
  audit_days: days(RETENTION_BOUNDS.auditDays),
  deliveries_days: days(RETENTION_BOUNDS.deliveriesDays),
  legal_hold: z.boolean().meta({ description: "Nothing is deleted while this is true." }),
};

export const retentionPolicy = z
  .object({ ...retentionFields, updated_at: timestamp.nullable() })
  .meta({ id: "RetentionPolicy" });
export type RetentionPolicyResource = z.output<typeof retentionPolicy>;

export const newRetentionPolicy = z.strictObject({
  ...retentionFields,
  legal_hold: retentionFields.legal_hold.optional(),
});
