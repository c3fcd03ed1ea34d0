import type { MiddlewareHandler } from "hono";
import { refuse } from "../contract/refusal.ts";
import type { Env } from "../edge/env.ts";
import { refuseAtDoor } from "../edge/request/router.ts";
import { isInTheClear } from "../edge/request/transport.ts";
import { settingsOf } from "../settings.ts";
import { MessagePage } from "./console/pages/sign-in.tsx";
import { htmlResponse, serveLogged } from "./html.tsx";

const PAGES = /^\/(console|sso|saml|docs)(\/|$)/;

/**
 * With an https base URL, nothing is served over plain http, and there is no redirect: a redirected client would keep
 * sending its key in the clear, and no one would notice.
 */
export const refuseClearText: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  const { req, env } = context;
  if (!isInTheClear(req.raw.url, env)) return next();
  const message = `This service is available over https only, at ${settingsOf(env).SVC_BASE_URL}. A key or session sent over http is exposed: replace it.`;
  if (!PAGES.test(req.path)) return refuseAtDoor(req.raw, env, refuse("bad_request", {}, { message }));
  return serveLogged(context, "*", async (web) =>
    htmlResponse(<MessagePage title="Use https" text={message} code="bad_request" />, 400, web),
  );
};
