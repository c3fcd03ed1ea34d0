import type { Hono } from "hono";
import { isRefusal } from "../../contract/refusal.ts";
import { MOST_XML_BYTES } from "../../domain/people/xml-bounds.ts";
import type { Env } from "../../edge/env.ts";
import { MessagePage } from "../console/pages/sign-in.tsx";
import {
  type Ctx,
  formTooLong,
  htmlResponse,
  serveLogged,
  readForm,
  redirectTo,
  type Web,
  webHeaders,
} from "../html.tsx";
import { returnPath } from "../return-path.ts";
import type { ServiceAddresses } from "../saml/connection.ts";
import type { SamlAttempt } from "../saml/request.ts";
import type { OidcAttempt } from "../sso/oidc.ts";
import { oidcRedirectUri } from "../../domain/people/redirect-uri.ts";
import { providerAccess } from "../sso/access.ts";
import { beginAttempt, connectionOf, takeAttempt } from "./attempt.ts";
import { refuseEntry, noSignIn, refuseSignIn, startSession } from "./finish.tsx";
import { askToConfirm, confirmEmail } from "./confirm-email.tsx";
import { confirmLink, followLink } from "./link.tsx";
import { askToUnsubscribe, unsubscribe } from "./unsubscribe.tsx";

/** The browser's ways in. Each answers with a page or a redirect, errors too, and sends the browser only to paths of this origin or to the org's own provider. */

const ORG = /^org_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The largest response in base64, with each character escaped as forms do, plus the state. */
const MOST_ANSWER_BYTES = 4 * MOST_XML_BYTES + 8192;

/** Loaded at the first sign-in: most isolates see none, and their libraries take long to start. */
const samlRequest = () => import("../saml/request.ts");
const samlResponse = () => import("../saml/response.ts");
const oidc = () => import("../sso/oidc.ts");

interface RememberedSignIn<T> {
  readonly attempt: T;
  readonly returnTo: string;
  /** Identifies the connection under which the sign-in started. */
  readonly mark: string;
}

export function mountSignIn(app: Hono<{ Bindings: Env }>): void {
  app.get("/sso/login", (context) => serveLogged(context, "/sso/login", (web) => oidcLogin(context, web)));
  app.get("/sso/callback/:org_id", (context) =>
    serveLogged(context, "/sso/callback/{org_id}", (web) =>
      oidcCallback(context, web, context.req.param("org_id")),
    ),
  );
  app.get("/sso/callback", (context) =>
    serveLogged(context, "/sso/callback", async (web) => refuseSignIn("callback_without_org", web)),
  );
  app.get("/saml/:org_id/login", (context) =>
    serveLogged(context, "/saml/{org_id}/login", (web) =>
      samlLogin(context, web, context.req.param("org_id")),
    ),
  );
  app.post("/saml/:org_id/acs", (context) =>
    serveLogged(context, "/saml/{org_id}/acs", (web) =>
      samlAnswer(context, web, context.req.param("org_id")),
    ),
  );
  app.get("/saml/:org_id/metadata", (context) =>
    serveLogged(context, "/saml/{org_id}/metadata", (web) => metadata(web, context.req.param("org_id"))),
  );
  app.get("/console/enter", (context) =>
    serveLogged(context, "/console/enter", (web) => followLink(context, web)),
  );
  app.post("/console/enter", (context) =>
    serveLogged(context, "/console/enter", (web) => confirmLink(context, web)),
  );
  app.get("/confirm-email", (context) =>
    serveLogged(context, "/confirm-email", async (web) => askToConfirm(context, web)),
  );
  app.post("/confirm-email", (context) =>
    serveLogged(context, "/confirm-email", (web) => confirmEmail(context, web)),
  );
  app.get("/unsubscribe", (context) =>
    serveLogged(context, "/unsubscribe", async (web) => askToUnsubscribe(context, web)),
  );
  app.post("/unsubscribe", (context) =>
    serveLogged(context, "/unsubscribe", (web) => unsubscribe(context, web)),
  );
  for (const path of ["/sso/*", "/saml/*"]) {
    app.all(path, (context) => serveLogged(context, path, async (web) => notFound(web)));
  }
}

function notFound(web: Web): Response {
  return htmlResponse(<MessagePage title="Not found" text="This page does not exist." />, 404, web);
}

async function oidcLogin(context: Ctx, web: Web): Promise<Response> {
  const { org = "", return_to } = context.req.query();
  const returnTo = returnPath(return_to);
  const connection = ORG.test(org) ? await connectionOf(context.env, org, web) : null;
  if (connection === null) return noSignIn(web);
  if (isRefusal(connection)) return refuseEntry(connection.code, web);
  if (connection.kind === "saml") {
    return redirectTo(`/saml/${org}/login?${new URLSearchParams({ return_to: returnTo })}`, web, {}, 302);
  }
  const begun = beginAttempt(context, org, web);
  const redirectUri = oidcRedirectUri(web.settings.SVC_BASE_URL, org);
  const { startOidc } = await oidc();
  const started = await startOidc(
    connection,
    { redirectUri, state: begun.handle },
    providerAccess(web.settings, connection.issuer),
  );
  if (!started.ok) return refuseSignIn(started.failure, web);
  const { mark } = connection;
  await begun.remember({ attempt: started.attempt, returnTo, mark } satisfies RememberedSignIn<OidcAttempt>);
  return redirectTo(started.url, web, { "set-cookie": begun.cookie }, 302);
}

/**
 * Both the URL and the attempt name the org. If a provider sends a browser on to another org's provider, the browser
 * comes back to that org's URL, where its own attempt is useless and the code is not redeemed.
 */
async function oidcCallback(context: Ctx, web: Web, orgId: string): Promise<Response> {
  const returned = new URL(context.req.url).searchParams;
  const taken = await takeAttempt(context, returned.get("state") ?? "", web);
  if (taken === null || taken.orgId !== orgId) return refuseSignIn("attempt_unknown", web);
  const { attempt, returnTo, mark } = taken.remembered as RememberedSignIn<OidcAttempt>;
  if (attempt.redirectUri !== oidcRedirectUri(web.settings.SVC_BASE_URL, orgId))
    return refuseSignIn("connection_changed", web);
  const connection = await connectionOf(context.env, orgId, web);
  if (isRefusal(connection)) return refuseEntry(connection.code, web);
  if (connection?.kind !== "oidc" || connection.mark !== mark) return refuseSignIn("connection_changed", web);
  const { issuer, defaultRole } = connection;
  const { finishOidc } = await oidc();
  const result = await finishOidc(connection, attempt, returned, providerAccess(web.settings, issuer));
  if (!result.ok) return refuseSignIn(result.failure, web);
  return startSession(
    context,
    web,
    { orgId, provider: issuer, identity: result.identity, defaultRole, connection: mark },
    returnTo,
  );
}

function serviceOf(web: Web, orgId: string): ServiceAddresses {
  const base = `${web.settings.SVC_BASE_URL}/saml/${orgId}`;
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
}

async function metadata(web: Web, orgId: string): Promise<Response> {
  if (!ORG.test(orgId)) return notFound(web);
  const headers = { ...webHeaders(web), "content-type": "application/samlmetadata+xml; charset=utf-8" };
  const { serviceMetadata } = await samlRequest();
  return new Response(serviceMetadata(serviceOf(web, orgId)), { headers });
}

async function samlLogin(context: Ctx, web: Web, orgId: string): Promise<Response> {
  const connection = ORG.test(orgId) ? await connectionOf(context.env, orgId, web) : null;
  if (isRefusal(connection)) return refuseEntry(connection.code, web);
  if (connection?.kind !== "saml") return noSignIn(web);
  if (!providerAccess(web.settings, connection.idpSsoUrl).mayVisit(connection.idpSsoUrl)) {
    return refuseSignIn("address_refused", web);
  }
  const begun = beginAttempt(context, orgId, web);
  const { startSaml } = await samlRequest();
  const { url, attempt } = await startSaml(connection, serviceOf(web, orgId), begun.handle);
  const returnTo = returnPath(context.req.query("return_to"));
  const { mark } = connection;
  await begun.remember({ attempt, returnTo, mark } satisfies RememberedSignIn<SamlAttempt>);
  return redirectTo(url, web, { "set-cookie": begun.cookie }, 302);
}

async function samlAnswer(context: Ctx, web: Web, orgId: string): Promise<Response> {
  const read = await readForm(context.req.raw, web.settings, MOST_ANSWER_BYTES);
  if (read.fields === null) {
    return read.tooLong ? formTooLong(web) : refuseSignIn("response_malformed", web);
  }
  const form = read.fields;
  const taken = await takeAttempt(context, form.get("RelayState") ?? "", web);
  if (taken === null || taken.orgId !== orgId) return refuseSignIn("attempt_unknown", web);
  const { attempt, returnTo, mark } = taken.remembered as RememberedSignIn<SamlAttempt>;
  const connection = await connectionOf(context.env, orgId, web);
  if (isRefusal(connection)) return refuseEntry(connection.code, web);
  if (connection?.kind !== "saml" || connection.mark !== mark) return refuseSignIn("connection_changed", web);
  const sent = form.get("SAMLResponse") ?? "";
  const { finishSaml } = await samlResponse();
  const result = await finishSaml({
    connection,
    service: serviceOf(web, orgId),
    attempt,
    sent,
    nowMs: Date.now(),
  });
  if (!result.ok) return refuseSignIn(result.failure, web);
  const { idpEntityId: provider, defaultRole } = connection;
  const person = { orgId, provider, identity: result.identity, defaultRole, connection: mark };
  return startSession(context, web, person, returnTo);
}
