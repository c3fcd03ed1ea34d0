import { X509Certificate } from "node:crypto";

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const LEAST_RSA_BITS = 2048;
const MOST_CERTIFICATES = 4;

/** The certificates in a text: PEM blocks, or the bare base64 that providers publish in their metadata. */
export function certificatesIn(text: string): string[] {
  const bodies = Array.from(text.matchAll(PEM), ([, body = ""]) => body);
  const bare = bodies.length === 0 && /^[A-Za-z0-9+/=\s]+$/.test(text) ? [text] : bodies;
  return bare.map((body) => {
    const lines = body.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
  });
}

/** Returns what is wrong with the certificates of a SAML provider. Null if signatures can be verified with them. */
export function certificateProblem(text: string): string | null {
  const found = certificatesIn(text);
  if (found.length === 0) return "must be an X.509 certificate in PEM";
  if (found.length > MOST_CERTIFICATES) return `must contain at most ${MOST_CERTIFICATES} certificates`;
  for (const pem of found) {
    const problem = problemOf(pem);
    if (problem !== null) return problem;
  }
  return null;
}

function problemOf(pem: string): string | null {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(pem).publicKey;
    if (asymmetricKeyType !== "rsa") return "must contain an RSA key";
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= LEAST_RSA_BITS ? null : `must contain an RSA key of at least ${LEAST_RSA_BITS} bits`;
  } catch {
    return "must be an X.509 certificate in PEM";
  }
}
