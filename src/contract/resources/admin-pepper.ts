import * as z from "zod";
import { idShape } from "../ids.ts";

export const pepperLeft = z
  .object({
    org_id: idShape("org"),
    keys_left: z.int().meta({
      description:
        "Secrets of valid keys that were not used since SVC_KEY_PEPPER changed. Each counts until it is used, replaced or revoked.",
    }),
    tokens_left: z.int().meta({
      description:
        "Sessions, links and tokens from before the change. They expire within a day; support sessions with their grant.",
    }),
    sealed_left: z.int().meta({
      description:
        "Encrypted values and signatures from before the change. They are replaced in the background; stored responses expire within a day.",
    }),
  })
  .meta({ id: "PepperLeft" });

export type PepperLeft = z.output<typeof pepperLeft>;
