import { createHmac } from "node:crypto";

/**
 * The token in a local server's sign-in link for one org. It reveals neither the secret nor the token of another org.
 */
export function localSignInToken(secret: string, orgId: string): string {
  return createHmac("sha256", secret).update("local-sign-in:").update(orgId).digest("base64url");
}
