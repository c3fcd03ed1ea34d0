import { createHmac } from "node:crypto";
import { sameSecret } from "../../domain/key/api-key.ts";
import type { Peppers } from "../../domain/key/peppers.ts";

/**
 * The token of a form, bound to the session, and others that are accepted. Another site can make a browser post a form, but
 * cannot read the token.
 */
export function csrfTokens(peppers: Peppers, sessionId: string): [current: string, ...string[]] {
  const under = (pepper: string) =>
    createHmac("sha256", pepper).update("csrf:").update(sessionId).digest("base64url");
  const [current, ...others] = peppers;
  return [under(current), ...others.map(under)];
}

/** Returns whether the headers name no other origin. A request without them passes: the form's token decides. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  return origin === null || origin === "null" || origin === new URL(request.url).origin;
}

/** Returns whether a post comes from one of our forms, by its origin headers, its token and the name that makes it act once. */
export function isOwnPost(request: Request, form: URLSearchParams, expected: readonly string[]): boolean {
  const isNamed = /^[\x21-\x7e]{1,255}$/.test(form.get("_once") ?? "");
  return (
    isNamed && isSameOrigin(request) && expected.some((token) => sameSecret(form.get("_csrf") ?? "", token))
  );
}
