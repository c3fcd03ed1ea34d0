import * as z from "zod";
import { timestamp } from "../shapes.ts";
export const deprecatedCalls = z.object({
  data: z.array(
    z.object({
      method: z.string(),
      route: z.string(),
      key_id: z.string(),
      calls: z.int(),
      last_called_at: timestamp,
    }),
  ),
});
export type DeprecatedCalls = z.output<typeof deprecatedCalls>;
