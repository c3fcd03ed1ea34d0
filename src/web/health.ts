import type { Context } from "hono";
import { standardHeaders, TRACE_HEADER } from "../contract/headers.ts";
import { refuse } from "../contract/refusal.ts";
import type { Env } from "../edge/env.ts";
import { refuseAtDoor } from "../edge/pipeline.ts";
import { settingsOf } from "../settings.ts";

/** The Worker runs and its settings are valid. Outside /v1, so without the envelope. */
export async function health(context: Context<{ Bindings: Env }>): Promise<Response> {
  const settings = settingsOf(context.env);
  const local = await context.env.LOCAL_READY?.fetch("http://local.internal/");
  if (local !== undefined && !local.ok) {
    return refuseAtDoor(context.req.raw, context.env, refuse("service_unavailable"));
  }
  return Response.json(
    { status: "ok", region: settings.SVC_REGION },
    {
      headers: {
        ...standardHeaders(settings.SVC_REGION),
        [TRACE_HEADER]: crypto.randomUUID(),
      },
    },
  );
}
