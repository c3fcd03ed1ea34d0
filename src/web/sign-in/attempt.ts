import { randomBytes } from "node:crypto";
import { bodyOf } from "../../edge/object/org-door.ts";
import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { type EntryProblem, isEntryProblem } from "../../domain/network/access.ts";
import { mintOrgToken, orgOfToken, tokenDigest } from "../../domain/key/org-token.ts";
import { firstUnder, presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import { encrypt, decryptAny } from "../../domain/key/encrypt.ts";
import type { Env } from "../../edge/env.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { peersOf } from "../../edge/region/peer.ts";
import { isListedIn } from "../../edge/region/remote-org.ts";
import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import type { SignInConnection } from "../../org/people/sso.ts";
import { isListed } from "../../platform/directory.ts";
import type { Ctx, Web } from "../html.tsx";

/**
 * A sign-in in progress. Its handle goes to the provider and comes back (as `state` or `RelayState`). A cookie holds a
 * secret that only the browser that started it has, so that no one can be signed in through someone else's link.
 */

const PURPOSE = "sign-in-attempt";
const SECONDS = 600;

/** A handle or path may name any org. An org that does not exist has no door. */
export function signInDoor(env: Env, orgId: string, web: Web): Promise<OrgDoor | null> {
  const actor = {
    kind: "system",
    id: "sign-in",
    role: "viewer",
    onBehalfOf: null,
    address: web.address,
  } as const;
  return doorHome(env, web.settings, orgId, { actor, trace: web.trace, idempotency: null, ifMatch: null });
}

/** Null if the org has no single sign-on. A refusal if the org does not allow this request's address or region. */
export async function connectionOf(
  env: Env,
  orgId: string,
  web: Web,
): Promise<SignInConnection | Refusal<EntryProblem> | null> {
  if (!(await mayExist(env, orgId, web))) return null;
  const found = await (await signInDoor(env, orgId, web))?.query("ssoSettings", { region: web.region });
  if (found === undefined) return null;
  if (!isRefusal(found)) return found.body;
  const { code } = found;
  return isEntryProblem(code) ? refuse(code) : null;
}

/** Orgs that the directory has listed. An org is never deleted. */
const MOST_LISTED = 10_000;
const listed = new BoundedMap<string, true>(MOST_LISTED);

/**
 * Anyone can ask for any org, and an object that is asked exists from then on. So the directory is asked first, and where there are
 * other regions, theirs: each lists the orgs that have their home there.
 */
async function mayExist(env: Env, orgId: string, { settings }: Web): Promise<boolean> {
  if (listed.get(orgId) === true) return true;
  if (!(await isListed(env.DB, orgId)) && !(await isListedElsewhere(env, settings, orgId))) return false;
  listed.set(orgId, true);
  return true;
}

/** A region that does not answer may have it, so nothing is known then. */
async function isListedElsewhere(env: Env, settings: Settings, orgId: string): Promise<boolean> {
  const asked = peersOf(settings).map((region) => isListedIn(env, settings, region, orgId));
  const answers = await Promise.allSettled(asked);
  if (answers.some((answer) => answer.status === "fulfilled" && answer.value)) return true;
  const silent = answers.find((answer) => answer.status === "rejected");
  if (silent !== undefined) throw silent.reason;
  return false;
}

function cookieName(request: Request): string {
  return isSecure(request) ? "__Host-svc_signin" : "svc_signin";
}

/** A SAML response is a cross-site post, which only carries a `SameSite=None` cookie, and that requires https. */
function cookieText(request: Request, value: string, seconds: number): string {
  const site = isSecure(request) ? "SameSite=None; Secure" : "SameSite=Lax";
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; ${site}; Max-Age=${seconds}`;
}

export interface StartedAttempt {
  readonly handle: string;
  readonly cookie: string;
  remember(attempt: object): Promise<void>;
}

export function beginAttempt(context: Ctx, orgId: string, web: Web): StartedAttempt {
  const pepper = web.settings.SVC_KEY_PEPPER;
  const handle = mintOrgToken(pepper, "signIn", orgId);
  const browser = randomBytes(32).toString("base64url");
  return {
    handle,
    cookie: cookieText(context.req.raw, browser, SECONDS),
    async remember(attempt) {
      const ciphertext = encrypt(pepper, PURPOSE, JSON.stringify(attempt));
      const digests = { digest: tokenDigest(pepper, handle), browser: tokenDigest(pepper, browser) };
      const door = await signInDoor(context.env, orgId, web);
      await door?.command("rememberSignIn", { ...digests, sealed: ciphertext });
    },
  };
}

/** The attempt of a handle. It can be taken once, and only in the browser that started it. */
export async function takeAttempt(
  context: Ctx,
  handle: string,
  web: Web,
): Promise<{ readonly orgId: string; readonly remembered: unknown } | null> {
  const peppers = peppersOf(web.settings);
  const orgId = firstUnder(peppers, (pepper) => orgOfToken(pepper, "signIn", handle));
  const browser = readCookie(context.req.raw, cookieName(context.req.raw));
  if (orgId === null || browser === null) return null;
  const given = (token: string) => presentDigest(peppers, (pepper) => tokenDigest(pepper, token));
  const digests = { digest: given(handle), browser: given(browser) };
  const door = await signInDoor(context.env, orgId, web);
  const taken = await door?.command("takeSignIn", digests);
  if (taken === undefined || isRefusal(taken)) return null;
  const { sealed } = bodyOf(taken);
  return sealed === null ? null : { orgId, remembered: JSON.parse(decryptAny(peppers, PURPOSE, sealed)) };
}
