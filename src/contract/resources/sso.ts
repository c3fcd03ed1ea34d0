import * as z from "zod";
import { withKinds } from "../field-rules.ts";
import { timestamp } from "../shapes.ts";

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
      client_secret_last4: z.string().meta({ description: "Always `****`. The secret is never returned." }),
      redirect_uri: z.string().meta({ description: "Allow this URI at the provider." }),
      ...ssoCommon,
    }),
    z.object({
      kind: z.literal("saml"),
      idp_entity_id: z.string(),
      idp_sso_url: z.string(),
      idp_certificate: z.string(),
      metadata_url: z.string().meta({ description: "The metadata that the provider needs." }),
      acs_url: z.string(),
      ...ssoCommon,
    }),
  ])
  .meta({ id: "SsoConnection" });
export type SsoConnection = z.output<typeof ssoConnection>;

const text = z.string().min(1).max(1024);

const defaultRole = z
  .enum(["viewer", "developer", "admin"])
  .default("viewer")
  .meta({ description: "The role of people without a `svc_role` from the provider." });

export const newSsoConnection = withKinds(
  z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("oidc"),
      issuer: text,
      client_id: text,
      client_secret: text,
      default_role: defaultRole,
    }),
    z.strictObject({
      kind: z.literal("saml"),
      idp_entity_id: text,
      idp_sso_url: text,
      idp_certificate: z.string().min(1).max(32_768).meta({
        description: "PEM or bare base64. Use several PEM blocks while the provider rotates its certificate.",
      }),
      default_role: defaultRole,
    }),
  ]),
);
export type NewSsoConnection = z.output<typeof newSsoConnection>;
