import { certificatesIn } from "./certificate.ts";

/** What an org relies on when a provider vouches for somebody. */
type Trusted =
  | { readonly kind: "oidc"; readonly issuer: string; readonly clientId: string }
  | { readonly kind: "saml"; readonly idpEntityId: string; readonly idpCertificate: string };

/**
 * Whether everybody whom the old connection let in would be let in by the new one, as far as it can be told: the same
 * provider, and no certificate that was withdrawn. A new secret, role or certificate beside the old ones takes nothing away.
 */
export function trustsAsBefore(before: Trusted, after: Trusted): boolean {
  if (before.kind === "oidc") {
    return after.kind === "oidc" && before.issuer === after.issuer && before.clientId === after.clientId;
  }
  if (after.kind !== "saml" || before.idpEntityId !== after.idpEntityId) return false;
  const kept = new Set(certificatesIn(after.idpCertificate));
  return certificatesIn(before.idpCertificate).every((certificate) => kept.has(certificate));
}
