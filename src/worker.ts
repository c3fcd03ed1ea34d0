import { handlerOf, loadedLater } from "./entry.ts";

/** Every request to the Worker. */
export const handle = handlerOf(
  loadedLater(async () => {
    const { createApp } = await import("./app.ts");
    return createApp().fetch;
  }),
);
