import { decideFast } from "./edge/decision/fast.ts";
import type { Env } from "./edge/env.ts";
import { isInTheClear, keptToHttps } from "./edge/transport.ts";

type Serve = (request: Request, env: Env, context: ExecutionContext) => Response | Promise<Response>;

let served: Serve | null = null;

/** Everything but decisions, loaded when it is first asked for: each cold location pays for what it starts with. */
const serveRest: Serve = async (request, env, context) => {
  if (served === null) {
    const { createApp } = await import("./app.ts");
    // Another request may have waited too.
    served ??= createApp().fetch;
  }
  return served(request, env, context);
};

/** Every request to the Worker, however it came. */
export function handle(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
  // Read once: the runtime makes a new text each time.
  const { url } = request;
  const serve = (asked: Request) => (served ?? serveRest)(asked, env, context);
  if (isInTheClear(url, env)) return serve(request);
  return keptToHttps(url, env, decideFast(url, { request, env, context, serve }) ?? serve(request));
}
