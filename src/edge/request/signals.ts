import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { type Deprecation, deprecationHeaders } from "../../contract/deprecations.ts";
import { DECIDED_HEADER, REGION_HEADER } from "../../contract/headers.ts";
import {
  deprecatedCallSeries,
  requestSeries,
  WAIT_HISTOGRAM,
  waitBucket,
  type WaitPlace,
  waitSeries,
} from "../../contract/metrics.ts";
import type { OperationContract } from "../../contract/operation.ts";
import { logFailure } from "../../log.ts";
import { settingsOf } from "../../settings.ts";
import { counters, flushIn } from "../../counters.ts";
import { deprecationCopy } from "./deprecation.ts";
import type { Env } from "../env.ts";

/** The longest wait for the registry. After that, the current copy is used. */
const RENEWAL_PATIENCE_MS = 250;

/** The longest wait for a counter. After that, the call is stored after the response. */
const STORING_PATIENCE_MS = 2000;

/** Keyed by the router's own path, so there are as many as routes. */
const templates = new Map<string, string>();
/** The method that names a route which is served under every one. */
const methods = new Map<string, string>();

/** Counts and deprecates a path of the router under the operation that is served there. */
export function nameRoute(routerPath: string, op: OperationContract): void {
  templates.set(routerPath, op.path);
  if (op.anyMethod === true) methods.set(op.path, op.method);
}

type EdgeContext = Context<{ Bindings: Env }>;

/**
 * Wraps every request: adds deprecation headers, also to refusals and failures, and counts. A call to a deprecated
 * route is stored before the response; everything else is counted in memory.
 */
export const signals: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  const startedAtMs = Date.now();
  const concerned = context.req.path.startsWith("/v1/");
  const renewing = concerned ? renewCopy(context, startedAtMs) : undefined;
  await next();
  const route = routeTemplate(context);
  if (concerned) {
    if (renewing) await patiently(renewing, startedAtMs);
    // A call may outlive the copy while it waits for its body. Routes flagged in the meantime are signalled too.
    const nowMs = Date.now();
    if (!deprecationCopy.isFresh(nowMs)) await patiently(renew(context, nowMs), nowMs);
    const { method, path } = context.req;
    const deprecation = route
      ? deprecationCopy.find(methods.get(route) ?? method, route)
      : deprecationCopy.findPath(path);
    if (deprecation) await tellAndStore(context, deprecation);
  }
  count(context, route, startedAtMs);
};

/** Pending only if this request must not use the current copy. */
function renewCopy(context: EdgeContext, nowMs: number): Promise<void> | undefined {
  const renewal = deprecationCopy.renewal(nowMs);
  if (renewal === "none") return undefined;
  const renewing = renew(context, nowMs);
  return renewal === "blocking" ? renewing : undefined;
}

function renew(context: EdgeContext, nowMs: number): Promise<void> {
  const renewing = deprecationCopy.renew(context.env.REGISTRY, nowMs).catch(logged);
  context.executionCtx.waitUntil(renewing);
  return renewing;
}

async function patiently(renewing: Promise<void>, askedAtMs: number): Promise<void> {
  await Promise.race([renewing, scheduler.wait(RENEWAL_PATIENCE_MS)]);
  deprecationCopy.makeDo(askedAtMs);
}

async function tellAndStore(context: EdgeContext, deprecation: Deprecation): Promise<void> {
  const settings = settingsOf(context.env);
  const headers = deprecationHeaders(deprecation, settings.SVC_DOCS_URL);
  // A response from another region was counted there.
  const answeredHere = context.res.headers.get(REGION_HEADER) === settings.SVC_REGION;
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  if (!answeredHere) return;
  counters.count(deprecatedCallSeries(deprecation.route));
  const storing = counters.flush(context.env.COUNTERS, Date.now()).catch(logged);
  context.executionCtx.waitUntil(storing);
  await Promise.race([storing, scheduler.wait(STORING_PATIENCE_MS)]);
}

function count(context: EdgeContext, route: string | undefined, startedAtMs: number): void {
  const nowMs = Date.now();
  const place = waitPlace(context.res.headers.get(DECIDED_HEADER));
  counters.count(requestSeries(route, context.req.method, context.res.status));
  counters.count(waitSeries(place, waitBucket(nowMs - startedAtMs)));
  if (nowMs > startedAtMs) counters.count(waitSeries(place, "ms"), nowMs - startedAtMs);
  const delayMs = counters.claimFlush(nowMs);
  if (delayMs !== undefined) context.executionCtx.waitUntil(flushIn(context.env.COUNTERS, delayMs));
}

function waitPlace(decided: string | null): WaitPlace {
  return WAIT_HISTOGRAM.places.find((place) => place === decided) ?? "other";
}

/** `/v1/orgs/{id}`. Undefined if only this middleware matched. */
export function routeTemplate(context: EdgeContext): string | undefined {
  const path = routePath(context);
  if (path === "/*") return undefined;
  const known = templates.get(path);
  if (known !== undefined) return known;
  const template = path.replaceAll(/:(\w+)/g, "{$1}");
  templates.set(path, template);
  return template;
}

function logged(error: unknown): void {
  logFailure("signals", error);
}
