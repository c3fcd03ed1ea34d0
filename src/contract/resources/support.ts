import * as z from "zod";
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

const MOST_SECONDS = 30 * 86_400;

export const newSupportGrant = z.strictObject({
  scope: z.enum(SUPPORT_SCOPES),
  reason: z.string().min(1).max(500),
  expires_in_seconds: z.int().min(1).max(MOST_SECONDS),
});

export const newSupportSession = z.strictObject({ grant_id: idShape("grt") });

export const supportSession = z.object({
  token: z.string().meta({ description: "Returned only in this response." }),
  expires_at: timestamp,
});

export const supportPresence = z.object({ grant: supportGrant.nullable() });
