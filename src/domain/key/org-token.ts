import { createHmac, randomBytes } from "node:crypto";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { base62, sameSecret } from "./api-key.ts";

/**
 * Secrets of browsers, operators and customers. They contain the org's id, so that only its object is asked, and a keyed check, so
 * that a forged one is rejected without a lookup. Only a keyed digest is stored.
 */

const PREFIXES = {
  session: "ses",
  signIn: "sin",
  consoleLink: "lnk",
  support: "svc_support",
  customer: "svc_customer",
  email: "eml",
  unsubscribe: "uns",
} as const;
export type OrgTokenKind = keyof typeof PREFIXES;

const CHECK_LENGTH = 6;
const REST = /^_([0-9A-HJKMNP-TV-Z]{26})_[0-9A-Za-z]{49}$/;

function checkOf(pepper: string, unchecked: string): string {
  const digest = createHmac("sha256", pepper).update("token-check:").update(unchecked).digest();
  return base62(digest.subarray(0, 8), CHECK_LENGTH);
}

export function mintOrgToken(pepper: string, kind: OrgTokenKind, orgId: string): string {
  const unchecked = `${PREFIXES[kind]}_${orgId.slice("org_".length)}_${base62(randomBytes(40), 43)}`;
  return unchecked + checkOf(pepper, unchecked);
}

/**
 * A token that is the same each time it is made for a subject, so that nothing of it is stored: whoever has the pepper makes it
 * again, and compares.
 */
export function derivedOrgToken(pepper: string, kind: OrgTokenKind, orgId: string, subject: string): string {
  const digest = createHmac("sha256", pepper).update(`token-of-${kind}:`).update(subject).digest();
  const unchecked = `${PREFIXES[kind]}_${orgId.slice("org_".length)}_${base62(digest, 43)}`;
  return unchecked + checkOf(pepper, unchecked);
}

/**
 * The org of the token. Null if the token is not a genuine one of this kind. The platform's own org has none: only the operator
 * key opens it, and nothing that was made with that key outlives it.
 */
export function orgOfToken(pepper: string, kind: OrgTokenKind, token: string): string | null {
  const prefix = PREFIXES[kind];
  const match = token.startsWith(prefix) ? REST.exec(token.slice(prefix.length)) : null;
  if (match === null) return null;
  const check = checkOf(pepper, token.slice(0, -CHECK_LENGTH));
  const orgId = `org_${match[1]}`;
  return sameSecret(token.slice(-CHECK_LENGTH), check) && orgId !== PLATFORM_ORG_ID ? orgId : null;
}

export function tokenDigest(pepper: string, token: string): string {
  return createHmac("sha256", pepper).update("token:").update(token).digest("hex");
}
