import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { afterAll } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { plainMiniflare } from "../../scripts/plain-miniflare.ts";
import { readWorkerConfig } from "../../scripts/worker-config.ts";
import { PROVIDER_KEY } from "./governed.ts";
import { sharedServer } from "./server.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Workers of a test file, each in a real runtime of its own, with what the proxy is configured with. */

const FOLDER = "src/proxy";

/** Starts a Worker whose source is at this address. It ends after the tests of the file. */
type Start = (source: string) => Promise<string>;

type Settings = Readonly<Record<string, string>>;

/** `settings` are more of what the proxy is configured with, which may depend on its source's address. */
export const proxyWorkers = (settings: Settings | ((source: string) => Settings) = {}): Start =>
  workers(join(FOLDER, "index.ts"), (source) => ({
    SLUICE_URL: sharedServer().urls[0],
    OPENAI_URL: source,
    OPENAI_API_KEY: PROVIDER_KEY,
    ANTHROPIC_URL: source,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    PROXY_ORGS: "*",
    PROXY_DECISION_TIMEOUT_MS: String(PATIENCE_MS),
    ...(typeof settings === "function" ? settings(source) : settings),
  }));

function workers(file: string, bindings: (source: string) => Record<string, string>): Start {
  const config = readWorkerConfig(join(FOLDER, "wrangler.toml"));
  const started: Miniflare[] = [];
  let script: Promise<string> | null = null;
  afterAll(async () => {
    for (const one of started) await one.dispose();
  });
  return async (source) => {
    script ??= bundleWorker(file);
    const worker = plainMiniflare({
      name: config.name,
      modules: [{ type: "ESModule", path: "worker.mjs", contents: await script }],
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
      bindings: { ...config.vars, ...bindings(source) },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    });
    started.push(worker);
    return String(await worker.unsafeGetDirectURL(config.name)).replace(/\/$/, "");
  };
}
