import { createApp } from "./app.ts";
import { decideFast } from "./edge/decision/fast.ts";
import type { Env } from "./edge/env.ts";
import { isInTheClear, keptToHttps } from "./edge/transport.ts";

const app = createApp();

/** Every request to the Worker, however it came. */
export function handle(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
  // Read once: the runtime makes a new text each time.
  const { url } = request;
  const serve = (asked: Request) => app.fetch(asked, env, context);
  if (isInTheClear(url, env)) return serve(request);
  return keptToHttps(url, env, decideFast(url, { request, env, context, serve }) ?? serve(request));
}
