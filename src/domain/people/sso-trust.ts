import { certificatesIn } from "./certificate.ts";

/** The connection that an org trusts when a provider identifies a person. */
type TrustedProvider =
  | { readonly kind: "oidc"; readonly issuer: string; readonly clientId: string }
  | { readonly kind: "saml"; readonly idpEntityId: string; readonly idpCertificate: string };

/**
 * Returns whether the new connection still trusts everyone that the old one admitted: the same provider, and no removed
 * certificate. A new secret or role, or an additional certificate, does not reduce trust.
 */
export function trustsAsBefore(before: TrustedProvider, after: TrustedProvider): boolean {
  if (before.kind === "oidc") {
    return after.kind === "oidc" && before.issuer === after.issuer && before.clientId === after.clientId;
  }
  if (after.kind !== "saml" || before.idpEntityId !== after.idpEntityId) return false;
  const kept = new Set(certificatesIn(after.idpCertificate));
  return certificatesIn(before.idpCertificate).every((certificate) => kept.has(certificate));
}
