import { KEY_ROLES, type KeyRole } from "../../contract/access.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { type EntryProblem, isEntryProblem } from "../../domain/network/access.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { newSessionToken } from "../../edge/identity/session-cookie.ts";
import { logLine } from "../../log.ts";
import { MessagePage } from "../console/pages/sign-in.tsx";
import { type Ctx, htmlResponse, redirectTo, type Web } from "../html.tsx";
import type { Identity, SignInFailure } from "../identity.ts";

const TEXTS: Readonly<Record<SignInFailure, string>> = {
  address_refused:
    "This service does not call the address of your identity provider. Ask an owner to correct it.",
  attempt_unknown:
    "This sign-in was already used, has expired, or was started in another browser. Sign in again.",
  callback_without_org:
    "Each organization has its own redirect URI: /sso/callback/ followed by its id. Sign in again. If your provider refuses, an owner must allow that URI there.",
  connection_changed: "Your organization's single sign-on settings changed. Sign in again.",
  link_unknown:
    "This link was already used, has expired, or the key that made it no longer works. Create a new one, or sign in another way.",
  provider_unreachable: "Your identity provider did not respond correctly. Try again shortly.",
  provider_refused: "Your identity provider refused the sign-in.",
  response_malformed: "The response from your identity provider cannot be read.",
  response_not_for_us: "The response from your identity provider is not for this sign-in.",
  signature_invalid: "The response from your identity provider is not correctly signed.",
  token_invalid: "The response from your identity provider is not valid.",
};

/** No session was created. The page explains why; the log has the reason as a code. */
export function refuseSignIn(failure: SignInFailure, web: Web): Response {
  logLine({ level: "warn", trace: web.trace, sign_in_refused: failure });
  const status = failure === "provider_unreachable" ? 502 : 401;
  return htmlResponse(
    <MessagePage title="Not signed in" text={TEXTS[failure]} code={failure} />,
    status,
    web,
  );
}

const KEPT_OUT: Readonly<Record<EntryProblem, string>> = {
  ip_not_allowed:
    "Your organization restricts access by IP address, and yours is not allowed. Use an allowed network, or ask an admin to add yours.",
  residency_violation:
    "Your organization's residency rule excludes this region. Use the console of an allowed region.",
};

/** A person whom the org's rules refuse, before or after sign-in. */
export function refuseEntry(problem: EntryProblem, web: Web): Response {
  const page = <MessagePage title="Access denied" text={KEPT_OUT[problem]} code={problem} />;
  return htmlResponse(page, 403, web);
}

export function noSignIn(web: Web): Response {
  const text = "Single sign-on is not set up for this organization. Ask an owner to set it up.";
  return htmlResponse(<MessagePage title="Not set up" text={text} />, 404, web);
}

function roleOf(asked: string | null, otherwise: KeyRole): KeyRole {
  return KEY_ROLES.find((role) => role === asked) ?? otherwise;
}

interface Person {
  readonly orgId: string;
  readonly provider: string;
  readonly identity: Identity;
  readonly defaultRole: KeyRole;
  /** The connection that identified the person. Null if none did. */
  readonly connection: string | null;
}

/** The provider identified a person: creates a new session and never reuses one from the browser. */
export async function startSession(
  context: Ctx,
  web: Web,
  person: Person,
  returnTo: string,
): Promise<Response> {
  const { orgId, provider, identity, connection } = person;
  const id = newId("ses", Date.now());
  const role = roleOf(identity.role, person.defaultRole);
  const { cookie, digest } = newSessionToken(context.req.raw, web.settings, orgId);
  const actor = { kind: "session", id, role, onBehalfOf: null, address: web.address } as const;
  const envelope = { actor, trace: web.trace, idempotency: null, ifMatch: null };
  const door = await doorHome(context.env, web.settings, orgId, envelope);
  const { subject, email } = identity;
  const name = identity.name ?? email ?? subject;
  if (door === null) return noSignIn(web);
  const { region } = web;
  const who = { provider, subject, name, email, role };
  const opened = await door.command("openSession", { id, digest, ...who, region, connection });
  if (!isRefusal(opened)) return redirectTo(returnTo, web, { "set-cookie": cookie });
  if (isEntryProblem(opened.code)) return refuseEntry(opened.code, web);
  if (opened.code === "conflict") return refuseSignIn("connection_changed", web);
  const suspended = opened.code === "org_suspended";
  const text = suspended ? "This organization is suspended." : opened.message;
  return htmlResponse(
    <MessagePage title="Not signed in" text={text} code={opened.code} />,
    opened.status,
    web,
  );
}
