import { z } from "zod";
import { KEY_ROLES, SCOPES } from "../../contract/access.ts";
import { keyWithSecret } from "../../contract/resources/keys.ts";
import { name, parseTimestamp, timestampInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

export const mintKey = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/keys",
    summary: "Mint an API key",
    description:
      "Role and scopes are fixed here, and never go beyond those of the key that mints it; nor does its expiry, which is that key's own where none is given. The key itself is shown in this answer, and never again.",
    role: "admin",
    scope: "keys:write",
    idempotent: true,
    body: z.strictObject({
      name,
      role: z.enum(KEY_ROLES),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional(),
      not_before: timestampInput.optional(),
      expires_at: timestampInput.optional(),
    }),
    reply: { 201: keyWithSecret },
    refuses: [],
  },
  ({ body, org }) =>
    org.command("mintKey", {
      name: body.name,
      role: body.role,
      scopes: body.scopes ?? null,
      notBefore: body.not_before === undefined ? null : parseTimestamp(body.not_before),
      expiresAt: body.expires_at === undefined ? null : parseTimestamp(body.expires_at),
    }),
);
