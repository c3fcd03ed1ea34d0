/**
 * The package without a path has the name that each of its parts begins with. Each part has a path of its own, too,
 * with everything else that it exports.
 */
export { governedFetch } from "./adapters/fetch.ts";
export { govern } from "./adapters/hono.ts";
export { governedAi } from "./adapters/workers-ai.ts";
export { sluiceMiddleware } from "./adapters/ai-sdk.ts";
export { createGate } from "./client/gate/index.ts";
export { Refused, Sluice, SluiceError, Unreachable } from "./client/index.ts";
export { verify, WebhookError } from "./client/webhooks.ts";
export { createProxy } from "./proxy/index.ts";
