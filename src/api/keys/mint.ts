import { keyWithSecret, newKey } from "../../contract/resources/keys.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
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
    body: newKey,
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
