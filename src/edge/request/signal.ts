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
import { counters, flushAfter } from "../../counters.ts";
import { logFailure } from "../../log.ts";
import { settingsOf } from "../../settings.ts";
import type { Env } from "../env.ts";
import { deprecationCopy } from "./deprecation.ts";

/** The longest wait for the registry. After that, the current copy is used. */
const RENEWAL_PATIENCE_MS = 250;

/** The longest wait for a counter. After that, the call is stored after the response. */
const STORING_PATIENCE_MS = 2000;

export interface SignalledRequest {
  readonly method: string;
  readonly path: string;
  readonly env: Env;
  readonly context: Pick<ExecutionContext, "waitUntil">;
}

/** A request whose response will be signalled. */
export interface BegunRequest {
  readonly startedAtMs: number;
  /** Pending only if this request must not use the current copy of the deprecations. */
  readonly renewing: Promise<void> | undefined;
}

/** The route that a response is signalled as, and the method that names it. */
export interface Route {
  readonly route: string | undefined;
  readonly method: string;
}

export function beginSignal(asked: SignalledRequest): BegunRequest {
  const startedAtMs = Date.now();
  return { startedAtMs, renewing: isConcerned(asked) ? renewCopy(asked, startedAtMs) : undefined };
}

/**
 * The response with the deprecation headers of its route, refusals and failures included, and counted. A call to a
 * deprecated route is stored before the response; everything else is counted in memory. It may be another response than
 * was given: the headers of one from another region are immutable.
 */
export function end(
  asked: SignalledRequest,
  begun: BegunRequest,
  named: Route,
  response: Response,
): Response | Promise<Response> {
  const { startedAtMs, renewing } = begun;
  const waits = isConcerned(asked) && (renewing !== undefined || !deprecationCopy.isFresh(Date.now()));
  const deprecation = waits ? undefined : deprecationOf(asked, named);
  if (waits || deprecation !== undefined) return deprecatedOrNot(asked, begun, named, response);
  count(asked, named.route, response, startedAtMs);
  return response;
}

async function deprecatedOrNot(
  asked: SignalledRequest,
  { startedAtMs, renewing }: BegunRequest,
  named: Route,
  response: Response,
): Promise<Response> {
  if (renewing !== undefined) await patiently(renewing, startedAtMs);
  // A call may outlive the copy while it waits for its body. Routes flagged in the meantime are signalled too.
  const nowMs = Date.now();
  if (!deprecationCopy.isFresh(nowMs)) await patiently(renew(asked, nowMs), nowMs);
  const deprecation = deprecationOf(asked, named);
  const signalled = deprecation === undefined ? response : await tellAndStore(asked, deprecation, response);
  count(asked, named.route, signalled, startedAtMs);
  return signalled;
}

function isConcerned({ path }: SignalledRequest): boolean {
  return path.startsWith("/v1/");
}

function deprecationOf(asked: SignalledRequest, { route, method }: Route): Deprecation | undefined {
  if (!isConcerned(asked)) return undefined;
  return route === undefined ? deprecationCopy.findPath(asked.path) : deprecationCopy.find(method, route);
}

function renewCopy(asked: SignalledRequest, nowMs: number): Promise<void> | undefined {
  const renewal = deprecationCopy.renewal(nowMs);
  if (renewal === "none") return undefined;
  const renewing = renew(asked, nowMs);
  return renewal === "blocking" ? renewing : undefined;
}

function renew({ env, context }: SignalledRequest, nowMs: number): Promise<void> {
  const renewing = deprecationCopy.renew(env.REGISTRY, nowMs).catch(logged);
  context.waitUntil(renewing);
  return renewing;
}

async function patiently(renewing: Promise<void>, askedAtMs: number): Promise<void> {
  await Promise.race([renewing, scheduler.wait(RENEWAL_PATIENCE_MS)]);
  deprecationCopy.makeDo(askedAtMs);
}

async function tellAndStore(
  { env, context }: SignalledRequest,
  deprecation: Deprecation,
  response: Response,
): Promise<Response> {
  const settings = settingsOf(env);
  const signalled = new Response(response.body, response);
  for (const [name, value] of Object.entries(deprecationHeaders(deprecation, settings.SVC_DOCS_URL)))
    signalled.headers.set(name, value);
  // A response from another region was counted there.
  if (response.headers.get(REGION_HEADER) !== settings.SVC_REGION) return signalled;
  counters.count(deprecatedCallSeries(deprecation.route));
  const storing = counters.flush(env.COUNTERS, Date.now()).catch(logged);
  context.waitUntil(storing);
  await Promise.race([storing, scheduler.wait(STORING_PATIENCE_MS)]);
  return signalled;
}

function count(
  { method, env, context }: SignalledRequest,
  route: string | undefined,
  { status, headers }: Response,
  startedAtMs: number,
): void {
  const nowMs = Date.now();
  const place = waitPlace(headers.get(DECIDED_HEADER));
  counters.count(requestSeries(route, method, status));
  counters.count(waitSeries(place, waitBucket(nowMs - startedAtMs)));
  if (nowMs > startedAtMs) counters.count(waitSeries(place, "ms"), nowMs - startedAtMs);
  const delayMs = counters.claimFlush(nowMs);
  if (delayMs !== undefined) context.waitUntil(flushAfter(env.COUNTERS, delayMs));
}

function waitPlace(decided: string | null): WaitPlace {
  return WAIT_HISTOGRAM.places.find((place) => place === decided) ?? "other";
}

function logged(error: unknown): void {
  logFailure("signals", error);
}
