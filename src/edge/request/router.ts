import type { Context } from "hono";
import { standardHeaders, TRACE_HEADER } from "../../contract/headers.ts";
import { envelopeText, type Refusal, refusalHeaders } from "../../contract/refusal.ts";
import { logFailure, logNow } from "../../log.ts";
import { settingsOf } from "../../settings.ts";
import type { Env } from "../env.ts";
import type { Operation } from "./operation-types.ts";
import { serveCall } from "./pipeline.ts";
import { requestText } from "./request-line.ts";

/** The facts about one operation that the router gets. */
export function serve(operation: Operation) {
  return ({ req, env, executionCtx }: Context<{ Bindings: Env }>): Promise<Response> =>
    serveCall(operation, {
      request: req.raw,
      url: req.url,
      env,
      context: executionCtx as ExecutionContext,
      params: req.param(),
    });
}

/** A response outside any operation: unknown route, or a failure before one was reached. */
export function refuseAtDoor(request: Request, env: Env, refusal: Refusal, error?: unknown): Response {
  const trace = crypto.randomUUID();
  if (error !== undefined) logFailure(trace, error);
  const region = regionOf(env);
  const { status, code } = refusal;
  logNow(requestText({ ...nobodys(trace, region), method: request.method, route: null, status, code }));
  return new Response(envelopeText(refusal), {
    status,
    headers: { ...standardHeaders(region), [TRACE_HEADER]: trace, ...refusalHeaders(refusal) },
  });
}

/** The log fields of a request that was answered at once, whoever sent it. */
function nobodys(trace: string, region: string) {
  return { startedAt: Date.now(), trace, region, org: null, key: null, ms: 0 };
}

function regionOf(env: Env): string {
  try {
    return settingsOf(env).SVC_REGION;
  } catch {
    return "unknown";
  }
}

/** The methods of a path, for `OPTIONS`. It needs no key, because browsers send none. */
export function serveOptions(template: string, methodsOf: (path: string) => readonly string[]) {
  return (context: Context<{ Bindings: Env }>): Response => {
    const { SVC_REGION: region } = settingsOf(context.env);
    const trace = crypto.randomUUID();
    const allow = ["HEAD", "OPTIONS", ...methodsOf(context.req.path)];
    const { method } = context.req;
    logNow(requestText({ ...nobodys(trace, region), method, route: template, status: 204, code: null }));
    const { "content-type": _, ...headers } = standardHeaders(region);
    return new Response(null, {
      status: 204,
      headers: { ...headers, [TRACE_HEADER]: trace, allow: [...new Set(allow)].sort().join(", ") },
    });
  };
}
