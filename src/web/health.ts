import type { Context } from "hono";
import type { Env } from "../edge/env.ts";
import { settingsOf } from "../settings.ts";

/** The Worker runs and its settings are good. Outside /v1, so without the envelope. */
export function health(context: Context<{ Bindings: Env }>): Response {
  const settings = settingsOf(context.env);
  return Response.json(
    { status: "ok", region: settings.SVC_REGION },
    {
      headers: {
        "x-svc-trace-id": crypto.randomUUID(),
        "x-svc-region": settings.SVC_REGION,
        "cache-control": "no-store",
      },
    },
  );
}
