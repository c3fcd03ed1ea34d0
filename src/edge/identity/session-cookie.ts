import { type Refusal, isRefusal } from "../../contract/refusal.ts";
import { bodyOf } from "../object/org-door.ts";
import type { OwnSession } from "../../contract/resources/sessions.ts";
import { type EntryProblem, entryProblem } from "../../domain/network/access.ts";
import { SESSION_MAX_MS } from "../../domain/people/session.ts";
import { mintOrgToken, orgOfToken, tokenDigest } from "../../domain/key/org-token.ts";
import type { OrgSnapshot } from "../../gate/snapshot/snapshot.ts";
import { firstUnder, presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { doorHome } from "../region/door-home.ts";

/**
 * The console's cookie. Browsers restrict a `__Host-` cookie to https, this host and the root path. A local server over
 * plain http cannot use it.
 */
const NAMES = ["__Host-svc_session", "svc_session"] as const;

export type SessionAdmission =
  | { readonly kind: "none" }
  | { readonly kind: "over"; readonly clear: string }
  | { readonly kind: "live"; readonly session: OwnSession; readonly org: OrgSnapshot }
  | {
      readonly kind: "kept_out";
      readonly problem: EntryProblem;
      readonly session: OwnSession;
      readonly org: OrgSnapshot;
    };

export interface SessionRequest {
  readonly request: Request;
  readonly env: Env;
  readonly settings: Settings;
  readonly trace: string;
  readonly address: string;
  /** Set for a page that refreshes itself, which is no use of the session. */
  readonly isWatching?: boolean;
}

export function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, ...value] = pair.split("=");
    if (key?.trim() === name) return value.join("=").trim();
  }
  return null;
}

/** The secret of the session in the request's cookie. */
export function sessionToken(request: Request): string | null {
  return NAMES.map((name) => readCookie(request, name)).find((token) => token !== null) ?? null;
}

export function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === "https:";
}

function write(name: string, value: string, secure: boolean, seconds: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? "; Secure" : ""}`;
}

/** Any cookie without a live session has ended. A forged cookie gets the same response as an expired one. */
export async function admitCookie(asked: SessionRequest): Promise<SessionAdmission> {
  const name = NAMES.find((candidate) => readCookie(asked.request, candidate) !== null);
  const token = name === undefined ? null : readCookie(asked.request, name);
  if (name === undefined || token === null) return { kind: "none" };
  const over = { kind: "over", clear: write(name, "", name.startsWith("__Host-"), 0) } as const;
  const peppers = peppersOf(asked.settings);
  const orgId = firstUnder(peppers, (pepper) => orgOfToken(pepper, "session", token));
  if (orgId === null) return over;
  const actor = {
    kind: "session",
    id: "unknown",
    role: "viewer",
    onBehalfOf: null,
    address: asked.address,
  } as const;
  const envelope = { actor, trace: asked.trace, idempotency: null, ifMatch: null };
  const door = await doorHome(asked.env, asked.settings, orgId, envelope);
  const digest = presentDigest(peppers, (pepper) => tokenDigest(pepper, token));
  const isWatching = asked.isWatching ?? false;
  const admitted = door === null ? null : await door.command("admitSession", { digest, isWatching });
  if (admitted === null) return over;
  if (isRefusal(admitted)) return admitted.code === "service_unavailable" ? unreachable(admitted) : over;
  const { session, org } = bodyOf(admitted);
  const problem = entryProblem(org, { address: asked.address, region: asked.settings.SVC_REGION });
  return problem === null ? { kind: "live", session, org } : { kind: "kept_out", problem, session, org };
}

function unreachable(refusal: Refusal): never {
  throw new Error(refusal.message);
}

/** Signs the person out. The cookie is cleared in any case. */
export async function endSession(asked: SessionRequest, session: OwnSession): Promise<string> {
  const { id, role, org_id: orgId } = session;
  const actor = { kind: "session", id, role, onBehalfOf: null, address: asked.address } as const;
  const envelope = { actor, trace: asked.trace, idempotency: null, ifMatch: null };
  const door = await doorHome(asked.env, asked.settings, orgId, envelope);
  await door?.command("revokeSession", { sessionId: id });
  const name = NAMES.find((candidate) => readCookie(asked.request, candidate) !== null) ?? NAMES[1];
  return write(name, "", name.startsWith("__Host-"), 0);
}

/** A new session's secret: the text for the cookie, the digest for the object. */
export function newSessionToken(request: Request, settings: Settings, orgId: string) {
  const secure = isSecure(request);
  const token = mintOrgToken(settings.SVC_KEY_PEPPER, "session", orgId);
  const cookie = write(secure ? NAMES[0] : NAMES[1], token, secure, SESSION_MAX_MS / 1000);
  return { cookie, digest: tokenDigest(settings.SVC_KEY_PEPPER, token) };
}
