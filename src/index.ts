import { createApp } from "./app.ts";

export { OrgObject } from "./org/object.ts";
export { Sender } from "./outbound/sender.ts";
export { CounterShard } from "./platform/counter-shard.ts";
export { DeprecationRegistry } from "./platform/deprecation-registry.ts";

export default createApp();
