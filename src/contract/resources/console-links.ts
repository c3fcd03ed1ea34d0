import * as z from "zod";
import { timestamp } from "../shapes.ts";

export const consoleLink = z
  .object({
    url: z.string().meta({ description: "Open it in a browser. It signs in once, as an owner." }),
    expires_at: timestamp,
  })
  .meta({ id: "ConsoleLink" });
