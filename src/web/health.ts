import type { Context } from "hono";
import { standardHeaders, TRACE_HEADER } from "../contract/headers.ts";
import { refuse } from "../contract/refusal.ts";
import { isSecret } from "../domain/key/api-key.ts";
import type { Env } from "../edge/env.ts";
import { bearerOf } from "../edge/identity/identify.ts";
import { refuseAtDoor } from "../edge/request/router.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { damagedOrgs } from "./damaged-orgs.ts";
import { deepHealth, isWell } from "./deep-health.ts";

/** The Worker runs and its settings are valid; with `?deep=1`, what it depends on answers. Outside /v1, so without the envelope. */
export async function health(context: Context<{ Bindings: Env }>): Promise<Response> {
  const settings = settingsOf(context.env);
  const local = await context.env.LOCAL_READY?.fetch("http://local.internal/");
  if (local !== undefined && !local.ok) {
    return refuseAtDoor(context.req.raw, context.env, refuse("service_unavailable"));
  }
  if (context.req.query("deep") === "1") return deep(context, settings);
  return answer(settings, 200, { status: "ok", region: settings.SVC_REGION });
}

/** Also what the Worker depends on. It costs calls, so it is for the operator, and an isolate looks every few seconds at most. */
async function deep({ req, env }: Context<{ Bindings: Env }>, settings: Settings): Promise<Response> {
  if (!isSecret(bearerOf(req.raw.headers) ?? "", settings.SVC_OPERATOR_KEY)) {
    return refuseAtDoor(req.raw, env, refuse("unauthorized"));
  }
  const now = Date.now();
  const [checks, damaged] = await Promise.all([
    deepHealth(env, settings, now),
    damagedOrgs(env, settings, now),
  ]);
  const isOk = isWell(checks) && damaged.length === 0;
  const status = isOk ? "ok" : "failing";
  return answer(settings, isOk ? 200 : 503, { status, region: settings.SVC_REGION, checks, damaged });
}

function answer({ SVC_REGION: region }: Settings, status: number, body: object): Response {
  const headers = { ...standardHeaders(region), [TRACE_HEADER]: crypto.randomUUID() };
  return Response.json(body, { status, headers });
}
