import { newSsoConnection, ssoConnection } from "../../contract/resources/sso.ts";
import { invalidField } from "../../contract/refusal.ts";
import { certificateProblem } from "../../domain/certificate.ts";
import { operation } from "../../edge/operation.ts";
import { checkSignInAddress } from "../../outbound/sign-in-address.ts";

export const putSso = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/sso",
    summary: "Set how people sign in to the console",
    description:
      "OpenID Connect or SAML 2.0. The provider can set a person's role in the claim or attribute `svc_role`; otherwise `default_role` applies. Requires a key with every scope of an owner.",
    role: "owner",
    scope: "org:write",
    allScopes: true,
    ifMatch: true,
    body: newSsoConnection,
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
