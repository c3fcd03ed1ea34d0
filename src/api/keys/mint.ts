import { keyWithSecret, newKey } from "../../contract/resources/keys.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";
import { refusePlatformAccess } from "../../edge/identity/platform-org.ts";

export const mintKey = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/keys",
    summary: "Create an API key",
    description:
      "Role, scopes and expiry are fixed when the key is created and cannot exceed those of the calling key. Without `expires_at`, the key inherits the calling key's expiry. The key itself is returned only in this response.",
    role: "admin",
    scope: "keys:write",
    idempotent: true,
    body: newKey,
    reply: { 201: keyWithSecret },
    refuses: [],
  },
  async ({ body, org, params }) =>
    refusePlatformAccess(params.id) ??
    org.command("mintKey", {
      name: body.name,
      role: body.role,
      scopes: body.scopes ?? null,
      notBefore: body.not_before === undefined ? null : parseTimestamp(body.not_before),
      expiresAt: body.expires_at === undefined ? null : parseTimestamp(body.expires_at),
    }),
);
