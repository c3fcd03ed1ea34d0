import { isDecision } from "./edge/decision/is-decision.ts";
import type { Env } from "./edge/env.ts";
import { isInTheClear, addHsts } from "./edge/request/transport.ts";

export type Serve<E extends Env = Env> = (
  request: Request,
  env: E,
  context: ExecutionContext,
) => Response | Promise<Response>;

/** Serves every request, however it came: decisions without a router, and the rest. */
export function handlerOf<E extends Env>({
  decisions,
  rest,
}: {
  readonly decisions: Serve;
  readonly rest: Serve<E>;
}): Serve<E> {
  return (request, env, context) => {
    // Read once: the runtime makes a new text each time.
    const { url } = request;
    if (isInTheClear(url, env)) return rest(request, env, context);
    const serve = isDecision(request, url) ? decisions : rest;
    return addHsts(url, env, serve(request, env, context));
  };
}

/** Loaded when it is first asked for: each cold location pays for what it starts with. */
export function loadLazily(load: () => Promise<Serve>): Serve {
  let served: Serve | null = null;
  const first: Serve = async (request, env, context) => {
    const loaded = await load();
    // Another request may have waited too.
    served ??= loaded;
    return served(request, env, context);
  };
  return (request, env, context) => (served ?? first)(request, env, context);
}
