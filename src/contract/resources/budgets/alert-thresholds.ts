import * as z from "zod";
import { usdProblem } from "../../shapes.ts";

/** Shares of a limit. They can be above 1, because facts can bring spending over the limit. */
export const alertThresholds = z
  .array(
    z.string().refine((text) => isShare(text), {
      message: "must be a share of the limit above 0 and at most 10, such as 0.8",
      params: { code: "out_of_range" },
    }),
  )
  .max(10)
  .meta({ description: "Each one sends an event once per period.", examples: [["0.8", "1"]] });

export const shownThresholds = z.array(z.string());

function isShare(text: string): boolean {
  // Nine decimal places stay distinct as floats.
  return usdProblem(text) === null && Number(text) > 0 && Number(text) <= 10;
}
