import { Hono } from "hono";
import { decide } from "./api/decisions/decide.ts";
import type { Env } from "./edge/env.ts";
import { serve } from "./edge/request/pipeline.ts";
import { refuseFailure } from "./edge/request/refuse-failure.ts";
import { nameRoute, signals } from "./edge/request/signals.ts";
import { supportTrail } from "./edge/support/support-trail.ts";

/** The pipeline of decisions alone, for an isolate that serves nothing else. */
export function createDecisionApp(): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  app.use(signals);
  app.use(supportTrail);
  const { method, path } = decide.contract;
  nameRoute(path, decide.contract);
  app.on(method, path, serve(decide));
  app.onError((error, { req, env }) => refuseFailure(req.raw, env, error));
  return app;
}
