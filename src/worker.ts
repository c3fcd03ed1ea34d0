import { handlerOf, loadedLater } from "./entry.ts";

/** Every request to the Worker. */
export const handle = handlerOf({
  decisions: loadedLater(async () => (await import("./edge/decision/serve.ts")).serveDecision),
  rest: loadedLater(async () => (await import("./app.ts")).createApp().fetch),
});
