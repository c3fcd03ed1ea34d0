import type { FieldError } from "../../contract/error-details.ts";
import { newSsoConnection, type NewSsoConnection, ssoConnection } from "../../contract/resources/sso.ts";
import { invalidFields } from "../../contract/refusal.ts";
import { certificateProblem } from "../../domain/people/certificate.ts";
import { operation } from "../../edge/request/operation.ts";
import type { Settings } from "../../settings.ts";
import { addressError } from "../../outbound/sign-in-address.ts";

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
    const wrong = await problemsOf(body, settings);
    if (wrong.length > 0) return invalidFields(wrong);
    if (body.kind === "oidc") {
      const { issuer, client_id: clientId, client_secret: clientSecret, default_role } = body;
      return org.command("putSso", {
        kind: "oidc",
        issuer,
        clientId,
        clientSecret,
        defaultRole: default_role,
      });
    }
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

async function problemsOf(body: NewSsoConnection, settings: Settings): Promise<FieldError[]> {
  if (body.kind === "oidc") {
    const issuer = await addressError("issuer", body.issuer, settings);
    return issuer === null ? [] : [issuer];
  }
  const address = await addressError("idp_sso_url", body.idp_sso_url, settings);
  const message = certificateProblem(body.idp_certificate);
  return [
    ...(address === null ? [] : [address]),
    ...(message === null ? [] : [{ field: "idp_certificate", code: "invalid_value", message }]),
  ];
}
