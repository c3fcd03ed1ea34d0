import { orgOfToken } from "../../domain/key/org-token.ts";
import { firstUnder } from "../../domain/key/peppers.ts";
import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { peppersOf } from "../../settings.ts";
import { type Dispatch, readAnswer } from "../console/in-process.ts";
import { formatMoment } from "../console/view/format.ts";
import type { Api, Visit } from "../console/visit.ts";
import type { Ctx, Web } from "../html.tsx";

/**
 * An operator inside an org, under a grant of the org's own. The cookie has the token of the support session, which reads what
 * the grant covers and ends with it. The API judges and audits each request.
 */

function cookieName(request: Request): string {
  return isSecure(request) ? "__Host-svc_support" : "svc_support";
}

export function supportCookie(request: Request, token: string, seconds: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

export function hasSupportCookie(request: Request): boolean {
  return readCookie(request, cookieName(request)) !== null;
}

/** The visit of an operator. Null without a token, or if its grant has ended. */
export async function supportVisit(context: Ctx, web: Web, dispatch: Dispatch): Promise<Visit | null> {
  const { raw } = context.req;
  const token = readCookie(raw, cookieName(raw));
  if (token === null) return null;
  const id = firstUnder(peppersOf(web.settings), (pepper) => orgOfToken(pepper, "support", token));
  if (id === null) return null;
  const api = apiBy(token, dispatch, raw);
  const org = `/v1/orgs/${id}`;
  const presence = await api.get<{ grant: { reason: string; expires_at: string } | null }>(
    `${org}/support-presence`,
  );
  if (presence.status === 401 || presence.status === 404 || presence.status === 410) return null;
  const named = await api.get<{ name: string; home_region: string }>(org);
  const grant = presence.body?.grant ?? null;
  return {
    api,
    org,
    nowMs: Date.now(),
    homeElsewhere: null,
    once: () => crypto.randomUUID(),
    visitor: {
      orgName: named.body?.name ?? id,
      orgId: id,
      name: "support",
      role: "viewer",
      csrf: "",
      supportInside: grant === null ? null : { reason: grant.reason, until: formatMoment(grant.expires_at) },
      pendingApprovals: 0,
      testClock: null,
    },
  };
}

/** Calls the API for the visit. Only reads are allowed: nothing that a page sends is sent on. */
function apiBy(token: string, dispatch: Dispatch, from: Request): Api {
  const ask = (method: string, path: string) => {
    const headers = new Headers({ authorization: `Bearer ${token}` });
    const address = from.headers.get("cf-connecting-ip");
    if (address !== null) headers.set("cf-connecting-ip", address);
    return dispatch(new Request(new URL(path, from.url), { method, headers }));
  };
  return {
    get: async <T>(path: string) => readAnswer<T>(await ask("GET", path)),
    send: async <T>(method: string, path: string) => readAnswer<T>(await ask(method, path)),
    tryPost: async <T>(path: string) => readAnswer<T>(await ask("POST", path)),
  };
}
