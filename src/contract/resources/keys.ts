import * as z from "zod";
import { KEY_ROLES, SCOPES, scopesOf } from "../access.ts";
import { withRule } from "../field-rules.ts";
import { idShape } from "../ids.ts";
import { name, parseTimestamp, timestamp, timestampInput } from "../shapes.ts";

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
      .meta({ description: "When the previous secret stops working." }),
    revoked_at: timestamp.nullable(),
    last_used_at: timestamp
      .nullable()
      .meta({ description: "When it last made a call, to within an hour. Null: never, as far as is known." }),
    created_at: timestamp,
  })
  .meta({ id: "Key" });
export type Key = z.output<typeof key>;

export const keyWithSecret = key
  .extend({ key: z.string().meta({ description: "The key itself, returned only in this response." }) })
  .meta({ id: "KeyWithSecret" });

/** Whether the caller may grant a role comes before what the key may have, so these rules alone refuse nothing. */
export const newKey = withRule(
  z.strictObject({
    name,
    role: z.enum(KEY_ROLES),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional(),
    not_before: timestampInput.optional(),
    expires_at: timestampInput.optional(),
  }),
  ({ role, scopes = [], not_before: from, expires_at: until }, { complain, isRefused }) => {
    if (!isRefused) return;
    for (const [at, scope] of scopes.entries()) {
      if (role === undefined || scope === undefined || scopesOf(role).includes(scope)) continue;
      complain(["scopes", at], "out_of_range", `is not a scope of the role ${role}`);
    }
    if (from === undefined || until === undefined) return;
    if ((parseTimestamp(from) ?? 0) < (parseTimestamp(until) ?? 0)) return;
    complain(["expires_at"], "out_of_range", "must be after not_before");
  },
);

export const keyRotation = z.strictObject({ grace_seconds: z.int().min(0).max(604_800).default(0) });
