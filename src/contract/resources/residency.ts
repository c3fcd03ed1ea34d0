import * as z from "zod";

export const regionName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9 and -")
  .meta({ description: "A region.", examples: ["eu"] });

export const residency = z
  .object({
    regions: z.array(regionName).nullable().meta({ description: "Null allows every region." }),
    home_region: regionName,
  })
  .meta({ id: "Residency" });
export type Residency = z.output<typeof residency>;

export const newResidency = z.strictObject({
  regions: z.array(regionName).min(1).max(32).nullable(),
});
export type NewResidency = z.output<typeof newResidency>;
