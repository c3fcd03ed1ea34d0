import type { MiddlewareHandler } from "hono";
import { TRACE_HEADER } from "../../contract/headers.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import { logFailure } from "../../log.ts";
import { settingsOf } from "../../settings.ts";
import { callerAddress } from "../request/call.ts";
import type { Env } from "../env.ts";
import { bearerOf } from "../identity/identify.ts";
import { refuseAtDoor } from "../request/router.ts";
import { routeTemplate } from "../request/signals.ts";
import { identifySupport, isIdentified, isSupportToken, recordSupport, type SupportCall } from "./support.ts";

const LONGEST_PATH = 256;

/**
 * Wraps every request, so that requests with a support token that reach no authenticated operation (unknown route,
 * public operation, `OPTIONS`) are audited too. The response is the same as without the token.
 */
export const supportTrail: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  await next();
  const request = context.req.raw;
  const bearer = bearerOf(request.headers);
  if (bearer === null || !isSupportToken(bearer) || isIdentified(request)) return;
  const route = routeTemplate(context) ?? new URL(request.url).pathname.slice(0, LONGEST_PATH);
  const refusal = await recordStray(request, context.env, { bearer, route, answer: context.res });
  if (refusal !== null) context.res = refuseAtDoor(request, context.env, refusal);
};

interface Stray {
  readonly bearer: string;
  readonly route: string;
  readonly answer: Response;
}

async function recordStray(request: Request, env: Env, stray: Stray): Promise<Refusal | null> {
  const { status, headers } = stray.answer;
  const call: SupportCall = {
    env,
    request,
    settings: settingsOf(env),
    address: callerAddress(request),
    trace: headers.get(TRACE_HEADER) ?? crypto.randomUUID(),
    op: { path: stray.route },
    caller: null,
    judgedAt: Date.now(),
  };
  try {
    await identifySupport(call, stray.bearer);
  } catch (error) {
    logFailure(call.trace, error);
    return refuse("service_unavailable");
  }
  return recordSupport(call, { status, code: status < 400 ? null : await codeOf(stray.answer) });
}

async function codeOf(response: Response): Promise<string> {
  const { status } = response;
  if (response.headers.get("content-type") !== "application/json") return `http_${status}`;
  const { error } = await response.clone().json<{ error?: { code?: string } }>();
  return error?.code ?? `http_${status}`;
}
