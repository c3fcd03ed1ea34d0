import { isRefusal } from "../../contract/refusal.ts";
import { sameSecret } from "../../domain/key/api-key.ts";
import { isEntryProblem } from "../../domain/network/access.ts";
import { localSignInToken } from "../../domain/people/local-sign-in.ts";
import { orgOfToken, tokenDigest } from "../../domain/key/org-token.ts";
import { firstUnder, presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf } from "../../settings.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { newSessionToken } from "../../edge/identity/session-cookie.ts";
import { isSameOrigin } from "../console/csrf.ts";
import { ConfirmEntryPage, MessagePage } from "../console/pages/sign-in.tsx";
import { type Ctx, formTooLong, htmlResponse, readForm, redirectTo, type Web } from "../html.tsx";
import { signInDoor } from "./attempt.ts";
import { refuseEntry, refuseSignIn, startSession } from "./finish.tsx";

/** Links that sign in once: those of `POST /v1/orgs/{id}/console-links`, and the one that `npm start` prints. */

const ORG = /^org_[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * A link that is opened directly signs in. If another site leads here, the person is asked first: otherwise any site could
 * sign them in to an organization of its choice.
 */
export async function followLink(context: Ctx, web: Web): Promise<Response> {
  if (context.req.method !== "GET") return notFound(web);
  const link = context.req.query("link");
  if (link === undefined) return enterLocally(context, web);
  if (orgOfLink(web, link) === null) {
    return refuseSignIn("link_unknown", web);
  }
  if (isSameOrigin(context.req.raw)) return enterByLink(context, web, link, "/console");
  return htmlResponse(<ConfirmEntryPage link={link} />, 200, web);
}

/** The answer to the page that asks. */
export async function confirmLink(context: Ctx, web: Web): Promise<Response> {
  const read = await readForm(context.req.raw, web.settings);
  if (read.fields === null && read.tooLong) return formTooLong(web);
  if (read.fields === null || !isSameOrigin(context.req.raw)) return refuseSignIn("link_unknown", web);
  return enterByLink(context, web, read.fields.get("link") ?? "", "/console");
}

/** Always a new session with a new secret. Whatever cookie the browser has is replaced. */
export async function enterByLink(
  context: Ctx,
  web: Web,
  token: string,
  returnTo: string,
): Promise<Response> {
  const orgId = orgOfLink(web, token);
  if (orgId === null) return refuseSignIn("link_unknown", web);
  const id = newId("ses", Date.now());
  const actor = { kind: "session", id, role: "owner", onBehalfOf: null, address: web.address } as const;
  const envelope = { actor, trace: web.trace, idempotency: null, ifMatch: null };
  const { cookie, digest } = newSessionToken(context.req.raw, web.settings, orgId);
  const door = await doorHome(context.env, web.settings, orgId, envelope);
  const opened = await door?.command("enterByLink", {
    link: presentDigest(peppersOf(web.settings), (pepper) => tokenDigest(pepper, token)),
    id,
    digest,
    region: web.region,
  });
  if (opened === undefined) return refuseSignIn("link_unknown", web);
  if (!isRefusal(opened)) return redirectTo(returnTo, web, { "set-cookie": cookie });
  if (isEntryProblem(opened.code)) return refuseEntry(opened.code, web);
  if (opened.code === "gone" || opened.code === "not_found") return refuseSignIn("link_unknown", web);
  const page = <MessagePage title="Not signed in" text={opened.message} code={opened.code} />;
  return htmlResponse(page, opened.status, web);
}

function orgOfLink(web: Web, link: string): string | null {
  return firstUnder(peppersOf(web.settings), (pepper) => orgOfToken(pepper, "consoleLink", link));
}

function notFound(web: Web): Response {
  return htmlResponse(<MessagePage title="Not found" text="This page does not exist." />, 404, web);
}

/** The link that `npm start` prints. It is for one org, works once, and exists only on a local server. */
async function enterLocally(context: Ctx, web: Web): Promise<Response> {
  const secret = context.env.LOCAL_SIGN_IN;
  const { org = "", token = "" } = context.req.query();
  if (secret === undefined || !ORG.test(org)) return notFound(web);
  if (!sameSecret(token, localSignInToken(secret, org))) return refuseSignIn("attempt_unknown", web);
  const digest = tokenDigest(web.settings.SVC_KEY_PEPPER, token);
  const door = await signInDoor(context.env, org, web);
  const spent = await door?.command("spendSignInLink", { digest });
  if (spent === undefined || isRefusal(spent)) return refuseSignIn("attempt_unknown", web);
  const identity = { subject: "local", email: null, name: "Local owner", role: "owner" };
  return startSession(
    context,
    web,
    { orgId: org, provider: "local", identity, defaultRole: "owner", connection: null },
    "/console",
  );
}
