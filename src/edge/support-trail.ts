import type { MiddlewareHandler } from "hono";
import { isRefusal, refuse } from "../contract/refusal.ts";
import { settingsOf } from "../settings.ts";
import { callerAddress } from "./call.ts";
import type { Env } from "./env.ts";
import { bearerOf } from "./identify.ts";
import { refuseAtDoor } from "./pipeline.ts";
import { routeTemplate } from "./signals.ts";
import { identifySupport, isIdentified, isSupportToken, recordSupport, type SupportCall } from "./support.ts";

const LONGEST_PATH = 256;

/**
 * Around every request: what comes with a support token and reaches no operation that asks who calls (no such route, an
 * operation for anyone, `OPTIONS`) is in the trail as well. The answer is what it would be without the token.
 */
export const supportTrail: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  await next();
  const request = context.req.raw;
  const bearer = bearerOf(request);
  if (bearer === null || !isSupportToken(bearer) || isIdentified(request)) return;
  const { res, env } = context;
  const call: SupportCall = {
    env,
    request,
    settings: settingsOf(env),
    address: callerAddress(request),
    trace: res.headers.get("x-svc-trace-id") ?? crypto.randomUUID(),
    op: { path: routeTemplate(context) ?? new URL(request.url).pathname.slice(0, LONGEST_PATH) },
    caller: null,
  };
  await identifySupport(call, bearer);
  const { status } = res;
  const recorded = await recordSupport(call, { status, code: status < 400 ? null : await codeOf(res) });
  if (isRefusal(recorded)) context.res = refuseAtDoor(request, env, refuse("service_unavailable"));
};

async function codeOf(response: Response): Promise<string> {
  const { status } = response;
  if (response.headers.get("content-type") !== "application/json") return `http_${status}`;
  const { error } = await response.clone().json<{ error?: { code?: string } }>();
  return error?.code ?? `http_${status}`;
}
