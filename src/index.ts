import { createApp } from "./app.ts";
import type { Env } from "./edge/env.ts";
import { decideFast } from "./edge/decision/fast.ts";
import { isInTheClear, keptToHttps } from "./edge/transport.ts";

export { OrgObject } from "./org/object.ts";
export { Sender } from "./outbound/sender.ts";
export { CounterShard } from "./platform/counter-shard.ts";
export { DeprecationRegistry } from "./platform/deprecation-registry.ts";

const app = createApp();

export default {
  fetch(request, env, context) {
    // Read once: the runtime makes a new text each time.
    const { url } = request;
    const serve = (asked: Request) => app.fetch(asked, env, context);
    if (isInTheClear(url, env)) return serve(request);
    return keptToHttps(url, env, decideFast(url, { request, env, context, serve }) ?? serve(request));
  },
} satisfies ExportedHandler<Env>;
