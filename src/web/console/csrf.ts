import { createHmac } from "node:crypto";
import { sameSecret } from "../../domain/api-key.ts";

/** A form token, bound to the session. Another site can make a browser post a form, but cannot read the token. */
export function csrfToken(pepper: string, sessionId: string): string {
  return createHmac("sha256", pepper).update("csrf:").update(sessionId).digest("base64url");
}

/** Whether the headers name no other origin. A request without them passes: the form's token decides. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  return origin === null || origin === "null" || origin === new URL(request.url).origin;
}

/** Whether a post comes from one of our forms, by its origin headers, its token and the name that makes it act once. */
export function isOwnPost(request: Request, form: URLSearchParams, expected: string): boolean {
  const isNamed = /^[\x21-\x7e]{1,255}$/.test(form.get("_once") ?? "");
  return isNamed && isSameOrigin(request) && sameSecret(form.get("_csrf") ?? "", expected);
}
