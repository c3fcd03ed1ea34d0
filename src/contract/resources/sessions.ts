import { z } from "zod";
import { KEY_ROLES } from "../access.ts";
import { idShape } from "../ids.ts";
import { timestamp } from "../shapes.ts";

export const session = z
  .object({
    id: idShape("ses"),
    user: z.object({
      name: z.string(),
      email: z.string().nullable(),
      provider: z.string().meta({ description: "Who vouched for the person." }),
      subject: z.string().meta({ description: "The provider's own name for the person." }),
    }),
    role: z.enum(KEY_ROLES),
    address: z.string().nullable().meta({ description: "Where the session was opened from." }),
    current: z.boolean().meta({ description: "Whether it is the session that asks." }),
    created_at: timestamp,
    last_seen_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof session>;

export const ownSession = session
  .extend({ org_id: idShape("org"), org_name: z.string() })
  .meta({ id: "OwnSession" });
export type OwnSession = z.output<typeof ownSession>;
