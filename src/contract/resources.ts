import { z } from "zod";
import { KEY_ROLES, SCOPES } from "./access.ts";
import { idShape } from "./ids.ts";
import { name, timestamp } from "./shapes.ts";

export const regionName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -")
  .meta({ description: "A region of this service.", examples: ["eu"] });

/** The resources that more than one operation answers with. */

export const org = z
  .object({
    id: idShape("org"),
    name,
    status: z.enum(["active", "suspended"]),
    plan: z.string(),
    environment: z.enum(["live", "test"]),
    home_region: z.string(),
    ip_allow_list: z.array(z.string()).meta({ description: "CIDR blocks; empty allows every address." }),
    created_at: timestamp,
  })
  .meta({ id: "Org" });
export type Org = z.output<typeof org>;

export const key = z
  .object({
    id: idShape("key"),
    name,
    role: z.enum(KEY_ROLES),
    scopes: z.array(z.enum(SCOPES)),
    status: z.enum(["active", "not_yet_valid", "expired", "revoked"]),
    last4: z.string().meta({ description: "The last four characters of the key." }),
    not_before: timestamp.nullable(),
    expires_at: timestamp.nullable(),
    previous_expires_at: timestamp
      .nullable()
      .meta({ description: "Until when the secret before the last rotation still works." }),
    revoked_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: "Key" });
export type Key = z.output<typeof key>;

export const keyWithSecret = key
  .extend({ key: z.string().meta({ description: "The key itself: shown here, and never again." }) })
  .meta({ id: "KeyWithSecret" });

export const residency = z
  .object({
    regions: z.array(regionName).nullable().meta({ description: "Null: every region." }),
    home_region: regionName,
  })
  .meta({ id: "Residency" });
