import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { OperationContract } from "../../contract/operation.ts";
import type { Env } from "../env.ts";
import { beginSignal, end } from "./signal.ts";

/** Keyed by the router's own path, so there are as many as routes. */
const templates = new Map<string, string>();
/** The method that names a route which is served under every one. */
const methods = new Map<string, string>();

/** Counts and deprecates a path of the router under the operation that is served there. */
export function nameRoute(routerPath: string, op: OperationContract): void {
  templates.set(routerPath, op.path);
  if (op.anyMethod === true) methods.set(op.path, op.method);
}

type EdgeContext = Context<{ Bindings: Env }>;

/** Signals every response of the router. */
export const signals: MiddlewareHandler<{ Bindings: Env }> = async (context, next) => {
  const { method, path } = context.req;
  const asked = { method, path, env: context.env, context: context.executionCtx };
  const begun = beginSignal(asked);
  await next();
  const route = routeTemplate(context);
  const named = { route, method: (route === undefined ? undefined : methods.get(route)) ?? method };
  const signalled = await end(asked, begun, named, context.res);
  if (signalled !== context.res) context.res = signalled;
};

/** `/v1/orgs/{id}`. Undefined if only this middleware matched. */
export function routeTemplate(context: EdgeContext): string | undefined {
  const path = routePath(context);
  if (path === "/*") return undefined;
  const known = templates.get(path);
  if (known !== undefined) return known;
  const template = path.replaceAll(/:(\w+)/g, "{$1}");
  templates.set(path, template);
  return template;
}
