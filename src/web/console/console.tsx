import { Hono } from "hono";
import type { Env } from "../../edge/env.ts";
import { peppersOf } from "../../settings.ts";
import type { OrgSnapshot } from "../../gate/snapshot/snapshot.ts";
import {
  admitCookie,
  type SessionAdmission,
  type SessionRequest,
  endSession,
} from "../../edge/identity/session-cookie.ts";
import {
  type Ctx,
  formTooLong,
  htmlResponse,
  serveLogged,
  OWN_SCRIPT,
  readForm,
  redirectTo,
  type Web,
  webHeaders,
} from "../html.tsx";
import { returnPath } from "../return-path.ts";
import { csrfTokens, isOwnPost, isSameOrigin } from "./csrf.ts";
import { apiAs, callerOf, type Dispatch, dispatchAs } from "./in-process.ts";
import { FIND_SCRIPT_PATH, findScript } from "./find/script.ts";
import { refuseEntry } from "../sign-in/finish.tsx";
import { signInForm, signInWithKey } from "../sign-in/key.tsx";
import { LIVE_HEADER, secondsOf } from "./live/pages.ts";
import { liveRoute } from "./live/route.ts";
import { script, SCRIPT_PATH } from "./live/script.ts";
import { hasSupportCookie, supportCookie, supportVisit } from "../sign-in/support.ts";
import { DATA_PATH } from "./pages/data.tsx";
import { PAGES } from "./pages/routes.ts";
import { MessagePage, SignedOutPage } from "./pages/sign-in.tsx";
import { STYLESHEET_PATH, stylesheet } from "./theme/stylesheet.ts";
import { savedViews, viewsCookie } from "./saved-views.ts";
import { collapseSidebar, isSlim } from "./sidebar.ts";
import { CHART_SCRIPT_PATH, chartScript } from "./view/chart-script.ts";
import { Page } from "./view/document.tsx";
import { formatMoment } from "./view/format.ts";
import { iconFile } from "./view/icons.tsx";
import { SIDEBAR_PATH } from "./view/navigation.tsx";
import { SavedViews } from "./view/saved-views.tsx";
import { addressOf, PageAddressContext } from "./view/table-order.ts";
import type { PageHandler, Visit } from "./visit.ts";
import { visitorOf } from "./visitor.ts";

/** Pages with a chart, whose script shows what a bar stands for. */
const CHARTED: ReadonlySet<string> = new Set([
  "/console",
  "/console/budgets/:id",
  "/console/customers/:customer_id",
  "/console/report",
]);

type Live = Extract<SessionAdmission, { kind: "live" }>;
type KeptOut = Extract<SessionAdmission, { kind: "kept_out" }>;

/** Hands a request to the whole service, in the context of the request that led to it. */
type Inside = (request: Request, context: Ctx) => Response | Promise<Response>;

/** The console: pages and forms over the API's own operations. */
export function createConsole(inside: Inside): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  app.get(STYLESHEET_PATH, () => asset(stylesheet, "text/css"));
  app.get("/console/icon.svg", () => asset(iconFile, "image/svg+xml"));
  app.get(SCRIPT_PATH, () => asset(script, "text/javascript"));
  app.get(CHART_SCRIPT_PATH, () => asset(chartScript, "text/javascript"));
  app.get(FIND_SCRIPT_PATH, () => asset(findScript, "text/javascript"));
  app.get("/console/live", (context) =>
    serveLogged(context, "/console/live", (web) => liveRoute(askedOf(context, web), web)),
  );
  app.get("/console/login", (context) =>
    serveLogged(context, "/console/login", async (web) => signInForm(context, web)),
  );
  app.post("/console/login", (context) =>
    serveLogged(context, "/console/login", (web) => signInWithKey(context, web, dispatcher(context, inside))),
  );
  app.post("/console/logout", (context) =>
    serveLogged(context, "/console/logout", (web) => signOut(context, web)),
  );
  app.post(SIDEBAR_PATH, (context) =>
    serveLogged(context, SIDEBAR_PATH, async (web) => collapseSidebar(context.req.raw, web)),
  );
  for (const [path, file] of DOWNLOADS) {
    app.get(path, (context) => serveLogged(context, path, (web) => download(context, web, inside, file)));
  }
  for (const [method, path, handler] of PAGES) {
    app.on(method, path, (context) =>
      serveLogged(context, path, (web) => {
        return servePage(context, web, { route: path, handler, dispatch: dispatcher(context, inside) });
      }),
    );
  }
  app.all("/console/*", (context) =>
    serveLogged(context, "/console/*", async (web) => {
      const page = (
        <MessagePage
          title="Not found"
          text="This page does not exist."
          link={["/console", "Go to the overview"]}
        />
      );
      return htmlResponse(page, 404, web);
    }),
  );
  return app;
}

function asset(body: string, type: string): Response {
  return new Response(body, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    },
  });
}

function dispatcher(context: Ctx, inside: Inside): Dispatch {
  return (request) => inside(request, context);
}

function askedOf(context: Ctx, { settings, trace, address }: Web): SessionRequest {
  const isWatching = context.req.header(LIVE_HEADER) !== undefined;
  return { request: context.req.raw, env: context.env, settings, trace, address, isWatching };
}

function admit(context: Ctx, web: Web): Promise<SessionAdmission> {
  return admitCookie(askedOf(context, web));
}

/**
 * A visitor who is not signed in is redirected to sign in. If the session has ended, a page says so and the cookie is
 * cleared.
 */
function turnAway(context: Ctx, web: Web, admitted: Exclude<SessionAdmission, Live>): Response {
  const { pathname, search } = new URL(context.req.url);
  const back = context.req.method === "GET" ? returnPath(pathname + search) : "/console";
  const login = `/console/login?${new URLSearchParams({ return_to: back })}`;
  if (admitted.kind === "none") return redirectTo(login, web);
  if (admitted.kind === "kept_out") return refuseEntry(admitted.problem, web);
  return htmlResponse(<SignedOutPage login={login} />, 401, web, { "set-cookie": admitted.clear });
}

function forged(web: Web): Response {
  const text = "This form did not come from this console, or its page is out of date. Nothing was changed.";
  return htmlResponse(
    <MessagePage title="Not accepted" text={text} link={["/console", "Go to the overview"]} />,
    403,
    web,
  );
}

/** The residency rule does not block the page that sets it. */
function mayMendResidency(admitted: SessionAdmission, path: string): admitted is KeptOut {
  return (
    admitted.kind === "kept_out" &&
    admitted.problem === "residency_violation" &&
    (path === DATA_PATH || path.startsWith(`${DATA_PATH}/`))
  );
}

interface PageToServe {
  readonly route: string;
  readonly handler: PageHandler;
  readonly dispatch: Dispatch;
}

async function servePage(
  context: Ctx,
  web: Web,
  { route, handler, dispatch }: PageToServe,
): Promise<Response> {
  const request = context.req.raw;
  const support = await supportVisit(context, web, dispatch);
  if (support !== null) {
    if (request.method !== "GET") return forged(web);
    return render(context, web, handler, { visit: support, form: new URLSearchParams(), liveRoute: null });
  }
  const admitted = await admit(context, web);
  if (admitted.kind !== "live" && !mayMendResidency(admitted, context.req.path)) {
    return turnAway(context, web, admitted);
  }
  const tokens = csrfTokens(peppersOf(web.settings), admitted.session.id);
  const [csrf] = tokens;
  const isPost = request.method === "POST";
  const read = isPost ? await readForm(request, web.settings) : { fields: new URLSearchParams() };
  if (read.fields === null) return read.tooLong ? formTooLong(web) : forged(web);
  const form = read.fields;
  if (isPost && !isOwnPost(request, form, tokens)) return forged(web);
  const api = apiAs(callerOf(admitted.session, admitted.org, web.address), dispatch, request);
  const visit: Visit = {
    api,
    org: `/v1/orgs/${admitted.org.id}`,
    nowMs: Date.now() + admitted.org.clockOffsetMs,
    homeElsewhere: admitted.org.homeRegion === web.region ? null : admitted.org.homeRegion,
    once: () => crypto.randomUUID(),
    visitor: await visitorOf(api, admitted.session, { csrf, testClock: testClockOf(admitted.org) }),
  };
  return render(context, web, handler, { visit, form, liveRoute: route });
}

interface PageToRender {
  readonly visit: Visit;
  readonly form: URLSearchParams;
  /** The route, if its page runs scripts and has saved views. Only a session's does. */
  readonly liveRoute: string | null;
}

async function render(
  context: Ctx,
  web: Web,
  handler: PageHandler,
  { visit, form, liveRoute: route }: PageToRender,
): Promise<Response> {
  const request = context.req.raw;
  const url = new URL(request.url);
  const views = savedViews(request);
  const shown = await handler(visit, {
    path: url.pathname,
    params: context.req.param(),
    query: url.searchParams,
    form,
    views,
  });
  if ("redirect" in shown) {
    const kept = shown.views === undefined ? {} : { "set-cookie": viewsCookie(request, shown.views) };
    return redirectTo(shown.redirect, web, kept);
  }
  const liveSeconds = route === null ? null : secondsOf(route, request, shown.status);
  const scripts = [
    ...(route === null ? [] : [FIND_SCRIPT_PATH]),
    ...(liveSeconds === null ? [] : [SCRIPT_PATH]),
    ...(route !== null && CHARTED.has(route) ? [CHART_SCRIPT_PATH] : []),
  ];
  const address = addressOf(request);
  const page = (
    <Page
      title={shown.title}
      path={shown.under}
      visitor={visit.visitor}
      liveSeconds={liveSeconds}
      scripts={scripts}
      isSlim={isSlim(request)}
    >
      {address !== null && route !== null && shown.status === 200 && (
        <SavedViews
          visit={visit}
          address={address}
          views={views.filter(({ orgId }) => orgId === visit.visitor.orgId)}
        />
      )}
      <PageAddressContext.Provider value={address}>{shown.content}</PageAddressContext.Provider>
    </Page>
  );
  return htmlResponse(page, shown.status, web, scripts.length === 0 ? {} : OWN_SCRIPT);
}

function testClockOf({ environment, clockOffsetMs }: OrgSnapshot): string | null {
  return environment === "test" ? formatMoment(new Date(Date.now() + clockOffsetMs).toISOString()) : null;
}

async function signOut(context: Ctx, web: Web): Promise<Response> {
  const { raw } = context.req;
  if (hasSupportCookie(raw) && isSameOrigin(raw)) {
    return redirectTo("/operator", web, { "set-cookie": supportCookie(raw, "", 0) });
  }
  const admitted = await admit(context, web);
  if (admitted.kind !== "live") return turnAway(context, web, admitted);
  // Sign-out needs no form token: at worst, another site signs the person out.
  if (!isSameOrigin(context.req.raw)) return forged(web);
  const cleared = await endSession(askedOf(context, web), admitted.session);
  return redirectTo("/console/login", web, { "set-cookie": cleared });
}

interface Download {
  readonly api: (orgId: string) => string;
  readonly name: string;
  readonly format: string;
  /** Where the reader came from. */
  readonly back: string;
}

const DOWNLOADS: readonly (readonly [path: string, file: Download])[] = [
  [
    "/console/audit/export",
    {
      api: (orgId) => `/v1/orgs/${orgId}/audit-log/export`,
      name: "audit",
      format: "ndjson",
      back: "/console/audit",
    },
  ],
  [
    "/console/report/export",
    {
      api: (orgId) => `/v1/orgs/${orgId}/usage/report`,
      name: "spend",
      format: "csv",
      back: "/console/report",
    },
  ],
  [
    "/console/runs/export",
    { api: () => "/v1/runs/export", name: "runs", format: "csv", back: "/console/runs" },
  ],
];

/** A file of the API, streamed to the browser. Fields that were left empty are not sent. */
async function download(context: Ctx, web: Web, inside: Inside, file: Download): Promise<Response> {
  const admitted = await admit(context, web);
  if (admitted.kind !== "live") return turnAway(context, web, admitted);
  const caller = callerOf(admitted.session, admitted.org, web.address);
  const ask = dispatchAs(caller, dispatcher(context, inside), context.req.raw);
  const given = [...new URL(context.req.url).searchParams].filter(([, value]) => value !== "");
  const query = new URLSearchParams(given.filter(([name]) => name !== "format"));
  const format = given.find(([name]) => name === "format")?.[1] ?? file.format;
  query.set("format", format);
  const answer = await ask("GET", `${file.api(admitted.org.id)}?${query}`, null, null);
  if (answer.status !== 200) {
    const { error } = await answer.json<{ error: { code: string; message: string } }>();
    const page = (
      <MessagePage title="Export failed" text={error.message} code={error.code} link={[file.back, "Back"]} />
    );
    return htmlResponse(page, answer.status, web);
  }
  const type = answer.headers.get("content-type") ?? "application/octet-stream";
  const extension = format === "csv" ? "csv" : "ndjson";
  const disposition = `attachment; filename="${file.name}-${admitted.org.id}.${extension}"`;
  return new Response(answer.body, {
    headers: { ...webHeaders(web), "content-type": type, "content-disposition": disposition },
  });
}
