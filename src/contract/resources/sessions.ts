import * as z from "zod";
import { KEY_ROLES } from "../access.ts";
import { idShape } from "../ids.ts";
import { timestamp } from "../shapes.ts";

export const session = z
  .object({
    id: idShape("ses"),
    user: z.object({
      name: z.string(),
      email: z.string().nullable(),
      provider: z.string().meta({ description: "The identity provider of the person." }),
      subject: z.string().meta({ description: "The provider's id for the person." }),
    }),
    role: z.enum(KEY_ROLES),
    address: z.string().nullable().meta({ description: "The IP address that opened the session." }),
    current: z.boolean().meta({ description: "Whether this is the session that made the request." }),
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
