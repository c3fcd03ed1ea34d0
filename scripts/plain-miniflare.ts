import { Miniflare, type MiniflareOptions } from "miniflare";

/** A runtime that is not the product's own: it logs nowhere, and nobody restarts it. */
export function plainMiniflare(options: MiniflareOptions): Miniflare {
  // Set by a server of the product in the same process, for its own runtime.
  delete process.env["MINIFLARE_WORKERD_PATH"];
  return new Miniflare({ telemetry: { enabled: false }, ...options });
}
