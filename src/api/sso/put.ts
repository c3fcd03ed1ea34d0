import { z } from "zod";
import { ssoConnection } from "../../contract/resources/sso.ts";
import { invalidField } from "../../contract/refusal.ts";
import { certificateProblem } from "../../domain/certificate.ts";
import { operation } from "../../edge/operation.ts";
import { checkSignInAddress } from "../../outbound/sign-in-address.ts";

const text = z.string().min(1).max(1024);
const defaultRole = z
  .enum(["viewer", "developer", "admin"])
  .default("viewer")
  .meta({ description: "The role of people for whom the provider says nothing in `svc_role`." });

export const putSso = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/sso",
    summary: "Set how people sign in to the console",
    description:
      "OpenID Connect or SAML 2.0. A provider may give a person's role in the claim or attribute `svc_role`; else `default_role` holds. A key needs all scopes of an owner.",
    role: "owner",
    scope: "org:write",
    allScopes: true,
    ifMatch: true,
    body: z.discriminatedUnion("kind", [
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
          description:
            "PEM or bare base64; several PEM blocks while the provider changes from one to the next.",
        }),
        default_role: defaultRole,
      }),
    ]),
    reply: { 200: ssoConnection },
    refuses: ["conflict"],
  },
  async ({ body, settings, org }) => {
    if (body.kind === "oidc") {
      const refused = await checkSignInAddress("issuer", body.issuer, settings);
      if (refused !== null) return refused;
      const { issuer, client_id: clientId, client_secret: clientSecret, default_role } = body;
      return org.command("putSso", {
        kind: "oidc",
        issuer,
        clientId,
        clientSecret,
        defaultRole: default_role,
      });
    }
    const refused = await checkSignInAddress("idp_sso_url", body.idp_sso_url, settings);
    if (refused !== null) return refused;
    const certificate = certificateProblem(body.idp_certificate);
    if (certificate !== null) return invalidField("idp_certificate", "invalid_value", certificate);
    const { idp_entity_id: idpEntityId, idp_sso_url: idpSsoUrl, idp_certificate: idpCertificate } = body;
    return org.command("putSso", {
      kind: "saml",
      idpEntityId,
      idpSsoUrl,
      idpCertificate,
      defaultRole: body.default_role,
    });
  },
);
