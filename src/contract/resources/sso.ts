import { z } from "zod";
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
export type SsoConnection = z.output<typeof ssoConnection>;
