import { KEY_ROLES, type KeyRole } from "../../contract/access.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { type EntryProblem, isEntryProblem } from "../../domain/entry.ts";
import { newId } from "../../domain/ulid.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { newSessionToken } from "../../edge/session-cookie.ts";
import { logLine } from "../../log.ts";
import { MessagePage } from "../console/pages/sign-in.tsx";
import { type Ctx, htmlResponse, redirectTo, type Web } from "../html.tsx";
import type { Identity, SignInFailure } from "../identity.ts";

const TEXTS: Readonly<Record<SignInFailure, string>> = {
  address_refused:
    "Your identity provider is at an address that this service does not call. Ask an owner to correct it.",
  attempt_unknown: "This sign-in was used already, took too long, or began in another browser. Begin again.",
  callback_without_org:
    "Each organization has a redirect address of its own, /sso/callback/ and its id. Begin again; if your provider then refuses, an owner has to allow that address there.",
  connection_changed: "Your organization's sign-in was changed meanwhile. Begin again.",
  provider_unreachable: "Your identity provider did not answer as it should. Try again in a moment.",
  provider_refused: "Your identity provider did not let you in.",
  response_malformed: "Your identity provider sent something that cannot be read.",
  response_not_for_us: "What your identity provider sent is not for this sign-in.",
  signature_invalid: "What your identity provider sent is not signed as it should be.",
  token_invalid: "What your identity provider sent does not hold.",
};

/** No session was made. The page says why in words; the log says why as a code. */
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
    "Your organization lets people in from certain network addresses only, and yours is not one of them. Come from an allowed network, or ask an admin to allow yours.",
  residency_violation:
    "Your organization does not let its data be handled in this region. Use the console of a region that it allows.",
};

/** Somebody whom the org's own rules keep out, signed in or about to be. */
export function keptOut(problem: EntryProblem, web: Web): Response {
  const page = <MessagePage title="Not from here" text={KEPT_OUT[problem]} code={problem} />;
  return htmlResponse(page, 403, web);
}

export function noSignIn(web: Web): Response {
  const text = "There is no single sign-on for this organization. Ask an owner to set it up.";
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
  /** The mark of the connection that vouched for them; null where none did. */
  readonly connection: string | null;
}

/** The provider vouched for somebody: a new session, never one that the browser brought along. */
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
  if (isEntryProblem(opened.code)) return keptOut(opened.code, web);
  if (opened.code === "conflict") return refuseSignIn("connection_changed", web);
  const suspended = opened.code === "org_suspended";
  const text = suspended ? "This organization is suspended." : opened.message;
  return htmlResponse(
    <MessagePage title="Not signed in" text={text} code={opened.code} />,
    opened.status,
    web,
  );
}
