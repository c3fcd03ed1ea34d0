import { z } from "zod";
import { KEY_ROLES } from "./access.ts";
import { idShape } from "./ids.ts";
import { timestamp } from "./shapes.ts";

/** People and how they come in: sessions, single sign-on, support grants. */

export const SUPPORT_SCOPES = ["read_only", "billing_read", "runs_debug"] as const;

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

export const ownSession = session
  .extend({ org_id: idShape("org"), org_name: z.string() })
  .meta({ id: "OwnSession" });

const ssoCommon = {
  default_role: z.enum(["viewer", "developer", "admin"]),
  updated_at: timestamp,
  sign_in_url: z.string(),
};

export const ssoConnection = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("oidc"),
      issuer: z.string(),
      client_id: z.string(),
      client_secret_last4: z.string().meta({ description: "Always `****`: the secret is never answered." }),
      redirect_uri: z.string().meta({ description: "To be allowed at the provider." }),
      ...ssoCommon,
    }),
    z.object({
      kind: z.literal("saml"),
      idp_entity_id: z.string(),
      idp_sso_url: z.string(),
      idp_certificate: z.string(),
      metadata_url: z.string().meta({ description: "What the provider needs to know of this service." }),
      acs_url: z.string(),
      ...ssoCommon,
    }),
  ])
  .meta({ id: "SsoConnection" });

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
