import { z } from "zod";
import { DEPRECABLE_METHODS } from "../deprecations.ts";

/** One deprecated route, as callers and operators see it. */
export const deprecationEntryShape = z
  .object({
    method: z.enum(DEPRECABLE_METHODS),
    route: z.string().meta({ description: "Route template.", examples: ["/v1/forecast"] }),
    since: z.string().meta({ description: "The day it took effect, `YYYY-MM-DD`." }),
    sunset: z.string().meta({ description: "HTTP-date after which the route may be removed." }),
    replacement: z
      .string()
      .optional()
      .meta({ description: "Route template of the successor, if there is one." }),
    documentation: z.string().meta({ description: "Where the change is documented." }),
  })
  .meta({ id: "DeprecationEntry" });
