import { Hono } from "hono";
import { openProviderKey } from "./api/provider-keys/open.ts";
import type { Env } from "./edge/env.ts";
import { serve } from "./edge/request/router.ts";
import { refuseFailure } from "./edge/request/refuse-failure.ts";
import { nameRoute, signals } from "./edge/request/signals.ts";

/** Serves what only the `Gate` entrypoint has, with the checks of every other call. No address leads here. */
export function createGateApp(): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  app.use(signals);
  const { method, path } = openProviderKey.contract;
  const at = path.replace("{provider}", ":provider");
  nameRoute(at, openProviderKey.contract);
  app.on(method, at, serve(openProviderKey));
  app.onError((error, { req, env }) => refuseFailure(req.raw, env, error));
  return app;
}
