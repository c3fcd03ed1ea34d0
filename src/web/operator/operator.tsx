import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import type { ArchiveProblem, ReadFrame } from "../../domain/archive/frames.ts";
import { archiveFrames } from "../../edge/request/archive-body.ts";
import { archiveHead } from "../../edge/request/archive-head.ts";
import type { Caller } from "../../edge/request/call.ts";
import type { Env } from "../../edge/env.ts";
import { knownRegions, peppersOf } from "../../settings.ts";
import { csrfTokens, isOwnPost, isSameOrigin } from "../console/csrf.ts";
import {
  endOperatorSession,
  isOperatorSessionOpen,
  openOperatorSessions,
} from "../../platform/operator-sessions.ts";
import { apiAs, type Dispatch, dispatchAs, readAnswer } from "../console/in-process.ts";
import { MessagePage } from "../console/pages/sign-in.tsx";
import {
  type Ctx,
  formTooLong,
  htmlResponse,
  serveLogged,
  readForm,
  type ReadForm,
  redirectTo,
  type Web,
  webHeaders,
} from "../html.tsx";
import { enterUnderGrant } from "./enter.ts";
import { IMPORT_COMMAND, IMPORT_PATH } from "./pages/import.tsx";
import { ENTER_PATH, OPERATOR_PAGES } from "./routes.ts";
import { endedOperatorCookie, type OperatorSession, operatorCookie, operatorSession } from "./session.ts";
import { OperatorPage } from "./shell.tsx";
import { operatorSignIn, operatorSignInForm } from "./sign-in.tsx";
import { MOST_UPLOAD_MIB, readUpload, streamOf } from "./upload.ts";
import type { OperatorHandler, OperatorVisit } from "./visit.ts";
import { deepHealth } from "../deep-health.ts";
import { readMetricSums } from "../metrics.ts";
import { logFailure } from "../../log.ts";
import { addressOf, PageAddressContext } from "../console/view/table-order.ts";
import { settingsOf } from "../../settings.ts";

type Inside = (request: Request, context: Ctx) => Response | Promise<Response>;

/** The parts of an operator's request after it was admitted. */
interface AdmittedOperator {
  readonly session: OperatorSession;
  readonly form: URLSearchParams;
  readonly file: Uint8Array | null;
  readonly csrf: string;
}

/** The console of whoever runs the platform: pages and forms over the operator's own operations. */
export function createOperator(inside: Inside): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  const dispatcher =
    (context: Ctx): Dispatch =>
    (request) =>
      inside(request, context);
  app.get("/operator/login", (context) =>
    serveLogged(context, "/operator/login", async (web) => operatorSignInForm(context, web)),
  );
  app.post("/operator/login", (context) =>
    serveLogged(context, "/operator/login", (web) => operatorSignIn(context, web, dispatcher(context))),
  );
  app.post("/operator/logout", (context) =>
    serveLogged(context, "/operator/logout", (web) => signOut(context, web)),
  );
  for (const [method, path, handler] of OPERATOR_PAGES) {
    app.on(method, path, (context) =>
      serveLogged(context, path, (web) => servePage(context, web, handler, dispatcher(context))),
    );
  }
  app.post(ENTER_PATH, (context) =>
    serveLogged(context, ENTER_PATH, async (web) => {
      const admitted = await admit(context, web);
      if (admitted instanceof Response) return admitted;
      const { api } = visitOf(context, web, admitted, dispatcher(context));
      return enterUnderGrant(context, web, api, admitted.form.get("_once") ?? "");
    }),
  );
  app.all("/operator/*", (context) =>
    serveLogged(context, "/operator/*", async (web) =>
      message("Not found", "This page does not exist.", 404, web),
    ),
  );
  return app;
}

async function signOut(context: Ctx, web: Web): Promise<Response> {
  const { raw } = context.req;
  if (!isSameOrigin(raw)) return forged(web);
  const session = operatorSession(raw, web.settings, Date.now());
  if (session !== null) await endOperatorSession(context.env.DB, session.id);
  return redirectTo("/operator/login", web, { "set-cookie": endedOperatorCookie(raw) });
}

function message(title: string, text: Child, status: number, web: Web): Response {
  return htmlResponse(
    <MessagePage title={title} text={text} link={["/operator", "Go to the operator console"]} />,
    status,
    web,
  );
}

function forged(web: Web): Response {
  const text = "This form did not come from this console, or its page is out of date. Nothing was changed.";
  return message("Not accepted", text, 403, web);
}

/** Only an operator's session passes. A form must also be one of its own. */
async function admit(context: Ctx, web: Web): Promise<AdmittedOperator | Response> {
  const request = context.req.raw;
  const now = Date.now();
  const session = operatorSession(request, web.settings, now);
  if (session === null || !(await isOperatorSessionOpen(context.env.DB, session.id, now))) {
    return request.method === "GET"
      ? redirectTo("/operator/login", web)
      : message("Signed out", SIGNED_OUT, 403, web);
  }
  const tokens = csrfTokens(peppersOf(web.settings), `operator:${session.id}`);
  const isUpload = context.req.path === IMPORT_PATH;
  const none: ReadForm = { fields: new URLSearchParams() };
  const reading = isUpload ? readUpload : readForm;
  const read = request.method === "POST" ? await reading(request, web.settings) : none;
  if (read.fields === null) {
    if (!read.tooLong) return forged(web);
    return isUpload ? message("File too large", TOO_LARGE, 413, web) : formTooLong(web);
  }
  if (request.method === "POST" && !isOwnPost(request, read.fields, tokens)) return forged(web);
  return { session, form: read.fields, file: read.file ?? null, csrf: tokens[0] };
}

const TOO_LARGE = (
  <>
    The file has more than the {MOST_UPLOAD_MIB} MiB that a form takes. Nothing was imported. Send it to the
    API: <code>{IMPORT_COMMAND}</code>
  </>
);

const SIGNED_OUT = "Only an operator can do this. Sign in with the operator key. Nothing was changed.";

async function servePage(
  context: Ctx,
  web: Web,
  handler: OperatorHandler,
  dispatch: Dispatch,
): Promise<Response> {
  const admitted = await admit(context, web);
  if (admitted instanceof Response) return admitted;
  const request = context.req.raw;
  const url = new URL(request.url);
  const ask = {
    path: url.pathname,
    params: context.req.param(),
    query: url.searchParams,
    form: admitted.form,
    file: admitted.file,
    views: [],
  };
  const shown = await handler(visitOf(context, web, admitted, dispatch), ask);
  const kept = { "set-cookie": operatorCookie(request, web.settings, admitted.session, Date.now()) };
  if (shown instanceof Response) return shown;
  if ("redirect" in shown) return redirectTo(shown.redirect, web, kept);
  const page = (
    <OperatorPage title={shown.title} path={shown.under} csrf={admitted.csrf} region={web.region}>
      <PageAddressContext.Provider value={addressOf(request)}>{shown.content}</PageAddressContext.Provider>
    </OperatorPage>
  );
  return htmlResponse(page, shown.status, web, kept);
}

/** The operator as a caller of the API, with the request's own address. */
function visitOf(
  context: Ctx,
  web: Web,
  { csrf, session }: AdmittedOperator,
  dispatch: Dispatch,
): OperatorVisit {
  const { DB } = context.env;
  const actor = {
    kind: "operator",
    id: "operator",
    role: "operator",
    onBehalfOf: null,
    address: web.address,
  } as const;
  const caller: Caller = { actor, role: "operator", scopes: null, org: null };
  const ask = dispatchAs(caller, dispatch, context.req.raw);
  const visitor = {
    orgName: "Platform",
    orgId: PLATFORM_ORG_ID,
    name: "operator",
    role: "owner",
    csrf,
    supportInside: null,
    pendingApprovals: 0,
    testClock: null,
  } as const;
  return {
    api: apiAs(caller, dispatch, context.req.raw),
    visitor,
    org: `/v1/orgs/${PLATFORM_ORG_ID}`,
    nowMs: Date.now(),
    homeElsewhere: null,
    once: () => crypto.randomUUID(),
    region: web.region,
    regions: knownRegions(web.settings),
    download: async (path) => {
      const answer = await ask("GET", path, null, null);
      if (answer.status !== 200) return readAnswer(answer);
      const about = ["content-type", "content-disposition"].map((name) => [
        name,
        answer.headers.get(name) ?? "",
      ]);
      return new Response(answer.body, { headers: { ...webHeaders(web), ...Object.fromEntries(about) } });
    },
    upload: async (path, file) => readAnswer(await ask("POST", path, streamOf(file), null)),
    backupHead: async (file) => {
      const frames = archiveFrames(streamOf(file), peppersOf(web.settings));
      const { value } = await frames.next();
      await frames.return(undefined);
      return archiveHead(value as ReadFrame | ArchiveProblem | undefined);
    },
    health: () => deepHealth(context.env, settingsOf(context.env), Date.now()),
    metrics: () =>
      readMetricSums(context.env).catch((error: unknown) => {
        logFailure(web.trace, error);
        return null;
      }),
    replace: async (path, body, sent) => readAnswer(await ask("PUT", path, body, sent)),
    sessions: {
      own: session.id,
      open: () => openOperatorSessions(DB),
      end: (id) => endOperatorSession(DB, id),
    },
  };
}
