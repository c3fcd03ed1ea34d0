import { z } from "zod";
import { KEY_ROLES, roleIncludes, SCOPES, scopesOf } from "../../contract/access.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { keyWithSecret } from "../../contract/resources.ts";
import { name, parseTimestamp, timestampInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

export const mintKey = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/keys",
    summary: "Mint an API key",
    description: "Role and scopes are fixed here. The key itself is shown in this answer, and never again.",
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
  async (call) => {
    const { body } = call;
    if (!roleIncludes(call.actor.role, body.role)) {
      return refuse("forbidden", {}, { message: "A key cannot mint a key of a higher role than its own." });
    }
    const usable = scopesOf(body.role);
    const beyond = body.scopes?.findIndex((scope) => !usable.includes(scope)) ?? -1;
    if (beyond >= 0) {
      return invalidField(
        `scopes[${beyond}]`,
        "out_of_range",
        `is not a scope that the role ${body.role} may use`,
      );
    }
    const notBefore = body.not_before === undefined ? null : parseTimestamp(body.not_before);
    const expiresAt = body.expires_at === undefined ? null : parseTimestamp(body.expires_at);
    if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
      return invalidField("expires_at", "out_of_range", "must be after not_before");
    }
    return call.org.command("mintKey", {
      name: body.name,
      role: body.role,
      scopes: body.scopes ?? usable,
      notBefore,
      expiresAt,
    });
  },
);
