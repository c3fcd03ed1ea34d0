import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { redirectTo, type Web } from "../html.tsx";
import { returnPath } from "../return-path.ts";
import { isSameOrigin } from "./csrf.ts";

/** The cookie that says whether the navigation shows its icons alone. A cookie keeps it, so that it works without scripts. */
const COOKIE = "svc_sidebar";
const SLIM = "slim";
const SECONDS = 365 * 86_400;

export function isSlim(request: Request): boolean {
  return readCookie(request, COOKIE) === SLIM;
}

/** Changes nothing but a look of the own browser, so it needs no form token. The reader stays on the page. */
export function collapseSidebar(request: Request, web: Web): Response {
  const from = request.headers.get("referer") ?? "";
  const url = URL.canParse(from) ? new URL(from) : null;
  const isOwn = url !== null && url.origin === new URL(request.url).origin;
  const back =
    isOwn && url.pathname.startsWith("/console") ? returnPath(url.pathname + url.search) : "/console";
  if (!isSameOrigin(request)) return redirectTo("/console", web);
  const value = isSlim(request) ? "wide" : SLIM;
  const secure = isSecure(request) ? "; Secure" : "";
  const cookie = `${COOKIE}=${value}; Path=/console; HttpOnly; SameSite=Lax; Max-Age=${SECONDS}${secure}`;
  return redirectTo(back, web, { "set-cookie": cookie });
}
