import { z } from "zod";
import { idShape } from "../ids.ts";
import { SUPPORT_SCOPES } from "../lists.ts";
import { timestamp } from "../shapes.ts";

export const supportGrant = z
  .object({
    id: idShape("grt"),
    scope: z.enum(SUPPORT_SCOPES),
    reason: z.string(),
    status: z.enum(["active", "closed", "expired"]),
    opened_by: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
    closed_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: "SupportGrant" });
export type SupportGrant = z.output<typeof supportGrant>;
