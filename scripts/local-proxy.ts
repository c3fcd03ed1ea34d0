import { join } from "node:path";
import type { WorkerOptions } from "miniflare";
import { PROVIDERS } from "../src/providers/table.ts";
import { CALLER_FIELDS } from "../src/proxy/options.ts";
import { bundleWorker } from "./bundle.ts";
import { claimPorts, HOST } from "./ports.ts";
import { STAND_IN_KEY } from "./stand-in/key.ts";
import { type StandIn, startStandIn } from "./stand-in/server.ts";
import { readWorkerConfig, ROOT } from "./worker-config.ts";

/** The governed proxy of a local server. */
export interface LocalProxy {
  /** 0 picks any free port. */
  readonly port: number;
  /** Variables that replace those of its wrangler.toml. */
  readonly settings: Readonly<Record<string, string>>;
}

const FOLDER = "src/proxy";

export async function proxyWorker(
  { port, settings }: LocalProxy,
  service: string,
): Promise<{ url: string; worker: WorkerOptions }> {
  const config = readWorkerConfig(join(ROOT, FOLDER, "wrangler.toml"));
  const [claimed = 0] = await claimPorts(port, 1, "PROXY_PORT");
  const bindings = config.services.map(({ binding, entrypoint }) => [
    binding,
    entrypoint === undefined ? service : { name: service, entrypoint },
  ]);
  const script = await bundleWorker(join(FOLDER, config.main));
  return {
    url: `http://${HOST}:${claimed}`,
    worker: {
      name: config.name,
      modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
      bindings: { ...config.vars, ...settings },
      serviceBindings: Object.fromEntries(bindings) as NonNullable<WorkerOptions["serviceBindings"]>,
      unsafeDirectSockets: [{ host: HOST, port: claimed }],
    },
  };
}

/** Providers with a key in the environment are called for real. The others are a stand-in on this machine. */
export async function localProviders(
  environment: NodeJS.ProcessEnv,
): Promise<{ settings: Record<string, string>; standIn: StandIn }> {
  const standIn = await startStandIn({ key: STAND_IN_KEY });
  // Everything on this machine is its user's.
  const settings: Record<string, string> = {
    PROXY_ORGS: "*",
    PROXY_CALLER_SETS: CALLER_FIELDS.join(","),
    PROXY_OWN_KEYS: "true",
  };
  for (const provider of Object.keys(PROVIDERS)) {
    const name = provider.toUpperCase();
    const key = environment[`${name}_API_KEY`];
    const url = environment[`${name}_URL`];
    settings[`${name}_API_KEY`] = key || STAND_IN_KEY;
    settings[`${name}_MODELS`] = environment[`${name}_MODELS`] ?? "";
    if (url) settings[`${name}_URL`] = url;
    else if (!key) settings[`${name}_URL`] = `${standIn.url}/${provider}`;
  }
  return { settings, standIn };
}
