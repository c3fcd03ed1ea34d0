import { handlerOf, loadLazily } from "./entry.ts";

/** Every request to the Worker. */
export const handle = handlerOf({
  decisions: loadLazily(async () => (await import("./edge/decision/serve.ts")).serveDecision),
  rest: loadLazily(async () => (await import("./app.ts")).createApp().fetch),
});
