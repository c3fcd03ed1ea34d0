import { Hono, type MiddlewareHandler } from "hono";
import { mountSignIn } from "./web/sign-in/routes.tsx";
import { refuse } from "./contract/refusal.ts";
import type { Env } from "./edge/env.ts";
import { refuseAtDoor, serve, serveOptions } from "./edge/request/router.ts";
import { refuseFailure } from "./edge/request/refuse-failure.ts";
import { OBJECT_PATH } from "./edge/region/remote-org.ts";
import { serveObject } from "./edge/region/serve-object.ts";
import type { Operation } from "./edge/request/operation-types.ts";
import { nameRoute, signals } from "./edge/request/signals.ts";
import { supportTrail } from "./edge/support/support-trail.ts";
import { CONTRACTS, OPERATIONS, isOperation } from "./operations.ts";
import { refuseClearText } from "./web/clear-text.tsx";
import { serveLogged, redirectTo } from "./web/html.tsx";
import { health } from "./web/health.ts";
import { metrics } from "./web/metrics.ts";

/** `/v1/orgs/{id}` as the router writes it. */
const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

function templateOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", String.raw`\.`).replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

const TEMPLATES = CONTRACTS.map(({ method, path }) => ({ method, pattern: templateOf(path) }));

/** The methods of every template that a path matches: `/v1/runs/bulk` also matches `/v1/runs/{id}`. */
function methodsOf(path: string): string[] {
  return TEMPLATES.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}

type App = Hono<{ Bindings: Env }>;

const consoles = new WeakMap<App, Promise<App>>();

/** The console, loaded when it is first asked for: most isolates serve none of its pages. */
function consoleOf(app: App): Promise<App> {
  const known = consoles.get(app);
  if (known !== undefined) return known;
  const loaded = import("./web/console/console.tsx").then(({ createConsole }) =>
    createConsole((request, { env, executionCtx }) => app.fetch(request, env, executionCtx)),
  );
  consoles.set(app, loaded);
  return loaded;
}

const operators = new WeakMap<App, Promise<App>>();

/** The operator's console, loaded likewise. */
function operatorOf(app: App): Promise<App> {
  const known = operators.get(app);
  if (known !== undefined) return known;
  const loaded = import("./web/operator/operator.tsx").then(({ createOperator }) =>
    createOperator((request, { env, executionCtx }) => app.fetch(request, env, executionCtx)),
  );
  operators.set(app, loaded);
  return loaded;
}

/** The routes of all pages, those of the consoles included. */
export async function pageRoutes(app: App): Promise<{ method: string; path: string }[]> {
  const loaded = [...(await consoleOf(app)).routes, ...(await operatorOf(app)).routes];
  return [...app.routes, ...loaded].filter(({ path }) => !path.startsWith("/v1/"));
}

/** `OPTIONS` outside the API works wherever `GET` does. */
function pageOptions(app: App): MiddlewareHandler<{ Bindings: Env }> {
  return async (context, next) => {
    const { path } = context.req;
    const served = path.startsWith("/v1/") ? [] : await pagesAt(app, path);
    const template = served.find(({ method }) => method === "GET")?.path;
    if (template === undefined) return next();
    return serveOptions(template, () => served.map(({ method }) => method))(context);
  };
}

/** The routes that a path matches, without those for every path or method. */
async function pagesAt(app: App, path: string): Promise<{ method: string; path: string }[]> {
  const isOfConsole = /^\/(console|operator)(\/|$)/.test(path);
  const routes = isOfConsole ? await pageRoutes(app) : app.routes;
  return routes.filter(
    ({ method, path: template }) =>
      method !== "ALL" &&
      !template.endsWith("*") &&
      templateOf(template.replaceAll(/:(\w+)/g, "{$1}")).test(path),
  );
}

function mount(app: Hono<{ Bindings: Env }>, operation: Operation): void {
  const { method, path, anyMethod, alsoAt = [] } = operation.contract;
  for (const at of [routerPath(path), ...alsoAt]) {
    nameRoute(at, operation.contract);
    if (anyMethod === true) app.all(at, serve(operation));
    else app.on(method, at, serve(operation));
  }
}

/** A browser that opens the root is led to the console. For everyone else nothing is there. */
const leadToConsole: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  const { method } = context.req;
  const wantsPage = /\btext\/html\b/.test(context.req.header("accept") ?? "");
  if (!wantsPage || (method !== "GET" && method !== "HEAD")) return next();
  return serveLogged(context, "/", async (web) => redirectTo("/console", web));
};

const docs = () => import("./web/docs/docs.tsx");

/** The reference and the guides, loaded when they are first asked for. */
function mountDocs(app: App): void {
  app.get("/docs", async (context) => (await docs()).serveDocs(CONTRACTS, context, "start"));
  for (const kind of ["plain", "interactive"] as const) {
    app.get(`/docs/${kind}`, async (context) => (await docs()).serveDocs(CONTRACTS, context, kind));
  }
  app.get("/docs/openapi.json", async (context) => {
    const request = new Request(new URL("/v1/openapi.json", context.req.url), context.req.raw);
    return (await docs()).serveDocument(context, async () =>
      app.fetch(request, context.env, context.executionCtx),
    );
  });
  app.get(
    "/docs/assets/:name",
    async (context) =>
      (await (await docs()).serveAsset(context, context.req.param("name"))) ?? context.notFound(),
  );
  app.get(
    "/llms.txt",
    async (context) => (await (await docs()).serveLlmsText(context)) ?? context.notFound(),
  );
  app.get(
    "/docs/guides",
    async (context) => (await (await docs()).serveGuides(context)) ?? context.notFound(),
  );
  app.get(
    "/docs/guides/:name",
    async (context) =>
      (await (await docs()).serveGuide(context, context.req.param("name"))) ?? context.notFound(),
  );
}

const mcp = () => import("./web/mcp/serve.ts");

/** The API as tools for a model, loaded when it is first asked for. */
function mountMcp(app: App): void {
  app.all("/mcp", async (context) =>
    (await mcp()).serveMcp(context, {
      inside: (request) => app.fetch(request, context.env, context.executionCtx),
      serves: isOperation,
    }),
  );
}

export function createApp(): App {
  const app = new Hono<{ Bindings: Env }>();
  app.use(signals);
  app.use(refuseClearText);
  app.use(supportTrail);
  app.on("OPTIONS", "/*", pageOptions(app));
  for (const operation of OPERATIONS) mount(app, operation);
  for (const path of new Set(CONTRACTS.filter((op) => op.method === "GET").map((op) => op.path))) {
    app.options(routerPath(path), serveOptions(path, methodsOf));
  }
  app.post(OBJECT_PATH, serveObject);
  app.get("/healthz", health);
  app.get("/metrics", metrics);
  mountDocs(app);
  mountMcp(app);
  mountSignIn(app);
  for (const path of ["/console", "/console/*"]) {
    app.all(path, async (context) =>
      (await consoleOf(app)).fetch(context.req.raw, context.env, context.executionCtx),
    );
  }
  for (const path of ["/operator", "/operator/*"]) {
    app.all(path, async (context) =>
      (await operatorOf(app)).fetch(context.req.raw, context.env, context.executionCtx),
    );
  }
  app.use("/", leadToConsole);
  app.notFound((context) => refuseAtDoor(context.req.raw, context.env, refuse("not_found")));
  app.onError((error, { req, env }) => refuseFailure(req.raw, env, error));
  return app;
}
