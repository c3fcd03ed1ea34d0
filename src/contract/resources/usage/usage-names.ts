import * as z from "zod";
import { MATCHED } from "../../dimensions.ts";
import { wholeNumber } from "../../query-numbers.ts";
import { searchText } from "../../shapes.ts";

/** How many of the latest runs are looked at. Those that are stored together with the last of them are, too. */
export const RUNS_LOOKED_AT = 2000;

export const namesQuery = z.strictObject({
  by: z.enum(MATCHED).meta({ description: "What names are sought." }),
  contains: searchText.optional().meta({
    description: "Only names with this in them, in upper or lower case.",
    examples: ["ada"],
  }),
  limit: wholeNumber(1, 100).default(10).meta({ description: "How many names are listed." }),
});

export const usageNames = z
  .object({
    by: z.enum(MATCHED),
    runs: z.int().meta({ description: "How many of the latest runs were looked at." }),
    data: z.array(z.object({ name: z.string() })).meta({
      description:
        "Names that are equal to `contains` first, then those that begin with it. Otherwise, names of later runs mostly come first.",
    }),
  })
  .meta({ id: "UsageNames" });
export type UsageNames = z.output<typeof usageNames>;
