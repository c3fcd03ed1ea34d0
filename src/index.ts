import type { Env } from "./edge/env.ts";
import { handle } from "./worker.ts";

export { Gate } from "./gate-entrypoint.ts";
export { OrgObject } from "./org/object.ts";
export { Sender } from "./outbound/sender.ts";
export { Rest } from "./rest-entrypoint.ts";
export { CounterShard } from "./platform/counter-shard.ts";
export { DeprecationRegistry } from "./platform/deprecation-registry.ts";

export default {
  fetch(request, env, context) {
    return handle(request, env, context);
  },
} satisfies ExportedHandler<Env>;
