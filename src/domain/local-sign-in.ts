import { createHmac } from "node:crypto";

/** What the sign-in link of a local server carries for one org: it says nothing of the secret, nor of another org's link. */
export function localSignInToken(secret: string, orgId: string): string {
  return createHmac("sha256", secret).update("local-sign-in:").update(orgId).digest("base64url");
}
