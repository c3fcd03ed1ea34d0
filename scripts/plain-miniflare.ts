import { Miniflare, type MiniflareOptions } from "miniflare";
import { collectOnOneThread } from "./v8-flags.ts";

/** A runtime that is not the product's own: it logs nowhere, and nobody restarts it. */
export function plainMiniflare(options: MiniflareOptions): Miniflare {
  collectOnOneThread();
  // Set by a server of the product in the same process, for its own runtime.
  delete process.env["MINIFLARE_WORKERD_PATH"];
  return new Miniflare({ telemetry: { enabled: false }, ...options });
}
