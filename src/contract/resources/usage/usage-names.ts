import * as z from "zod";
import { MATCHED } from "../../dimensions.ts";
import { wholeNumber } from "../../query-numbers.ts";
import { searchText } from "../../shapes.ts";

/** So many of the latest runs are looked at, or all if there are fewer. */
export const LEAST_RUNS_LOOKED_AT = 2000;

export const namesQuery = z.strictObject({
  by: z.enum(MATCHED),
  contains: searchText.optional().meta({
    description: "Only names with this in them, in upper or lower case.",
    examples: ["ada"],
  }),
  limit: wholeNumber(1, 100).default(10),
});

export const usageNames = z
  .object({
    by: z.enum(MATCHED),
    runs: z.int().meta({ description: "How many of the latest runs were looked at." }),
    data: z.array(z.object({ name: z.string() })).meta({
      description:
        "The name that is equal to `contains` first, then those that begin with it; among these, those of the latest runs.",
    }),
  })
  .meta({ id: "UsageNames" });
export type UsageNames = z.output<typeof usageNames>;
