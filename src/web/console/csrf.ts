import { createHmac } from "node:crypto";
import { sameSecret } from "../../domain/api-key.ts";

/** A form's token, bound to the session: another site can make a browser post a form, but cannot read one. */
export function csrfToken(pepper: string, sessionId: string): string {
  return createHmac("sha256", pepper).update("csrf:").update(sessionId).digest("base64url");
}

/** Whether the browser says that the post comes from a page of this origin; one that says nothing is no browser. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  return origin === null || origin === "null" || origin === new URL(request.url).origin;
}

/** Whether a post comes from one of our own forms: by what the browser says of its origin, and by the form's token. */
export function isOwnPost(request: Request, form: URLSearchParams, expected: string): boolean {
  return isSameOrigin(request) && sameSecret(form.get("_csrf") ?? "", expected);
}
