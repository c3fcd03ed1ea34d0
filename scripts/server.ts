import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { localSignInToken } from "../src/domain/local-sign-in.ts";
import { bundleWorker } from "./bundle.ts";
import type { Complaint } from "./complaint.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import type { Miniflare } from "miniflare";
import { migrate } from "./migrate.ts";
import { claimPorts, HOST } from "./ports.ts";
import { startRuntime } from "./runtime.ts";
import { keepPepper, localSecrets } from "./secrets.ts";
import { resolveSettings, unknownSettings } from "./settings.ts";
import { readWorkerConfig, ROOT, type WorkerConfig } from "./worker-config.ts";
import { workersOf } from "./workers.ts";

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** How many isolates serve, on consecutive ports, over the same objects. */
  readonly isolates?: number;
  /** Instead of isolates: regions, on consecutive ports, each with objects and a database of its own. */
  readonly regions?: readonly string[];
  /** Another module than the Worker's own, which it wraps: for tests. */
  readonly entry?: string;
  /** SVC_* variables that replace the defaults of wrangler.toml. */
  readonly settings?: NodeJS.ProcessEnv;
  /** Done before `/healthz` says that the server is ready: for what whoever waits for that will look for. */
  readonly beforeReady?: (server: Server) => Promise<void>;
  /** Hears that the runtime ended and cannot be started again: nothing is served from then on. */
  readonly onLost?: (complaint: Complaint) => void;
  /** Hears of settings that nobody knows, and the runtime's warnings and errors. */
  readonly onRemark?: (line: string) => void;
}

export interface Server {
  readonly urls: readonly [string, ...string[]];
  readonly folder: DataFolder;
  readonly settings: Readonly<Record<string, string>>;
  /** The link that signs in to the console of one org of this server, once: no deployed Worker has any. */
  signInLink(orgId: string, url?: string): string;
  /** Takes an org's object out of memory, as the platform does at will. */
  evict(orgId: string): Promise<void>;
  /** Kills the runtime in the middle of whatever it does; resolves when it serves again. */
  crash(): Promise<void>;
  dispose(): Promise<void>;
}

/** Serves the real Worker in workerd, on sockets of workerd's own: no proxy stands before it. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const config = readWorkerConfig();
  const folder = openDataFolder(options.dataDir);
  try {
    return await serve(options, config, folder);
  } catch (error) {
    folder.close();
    throw error;
  }
}

async function serve(options: ServerOptions, config: WorkerConfig, folder: DataFolder): Promise<Server> {
  const environment = options.settings ?? {};
  for (const name of unknownSettings(environment)) {
    options.onRemark?.(`sluice: ignoring ${name}: it is not a setting of this version`);
  }
  const shared = options.regions === undefined ? [] : ["SVC_REGION_SECRET"];
  const secrets = localSecrets(folder.secrets, [...config.secrets.required, ...shared], environment);
  const ports = await claimPorts(options.port, options.regions?.length ?? options.isolates ?? 1);
  const urls = ports.map((port) => `http://${HOST}:${port}`) as [string, ...string[]];
  const settings = resolveSettings(config.vars, environment, secrets, urls[0]);
  keepPepper(folder.pepperMark, settings["SVC_KEY_PEPPER"] ?? "");
  const script = await bundleWorker(options.entry ?? config.main);
  const signInSecret = randomBytes(32).toString("base64url");
  let ready = false;
  const { names, workers } = workersOf(config, {
    script,
    settings: { ...settings, LOCAL_SIGN_IN: signInSecret },
    ports,
    regions: options.regions,
    isReady: () => ready,
  });
  const runtime = await startRuntime({
    workers,
    folder,
    prepare: (miniflare) => migrateAll(miniflare, config, options.regions === undefined ? [names[0]] : names),
    onRemark: options.onRemark,
    onLost: (complaint) => options.onLost?.(complaint),
  });
  const server: Server = {
    urls,
    folder,
    settings,
    signInLink: (org, url = urls[0]) => signInLink(url, org, signInSecret),
    evict: (name) => runtime.miniflare().unsafeEvictDurableObject(names[0], "OrgObject", { name }),
    crash: () => runtime.crash(),
    dispose: async () => {
      await storeCounts(urls, settings["SVC_METRICS_TOKEN"]);
      await runtime.dispose();
      folder.close();
    },
  };
  try {
    await options.beforeReady?.(server);
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
  ready = true;
  return server;
}

function signInLink(url: string, org: string, secret: string): string {
  return `${url}/console/enter?${new URLSearchParams({ org, token: localSignInToken(secret, org) })}`;
}

async function migrateAll(
  miniflare: Miniflare,
  config: WorkerConfig,
  workers: readonly string[],
): Promise<void> {
  for (const { binding, migrations_dir } of config.d1_databases) {
    for (const name of workers) {
      await migrate(await miniflare.getD1Database(binding, name), join(ROOT, migrations_dir));
    }
  }
}

const STORING_PATIENCE_MS = 1000;

/** A scrape stores what an isolate has counted and not sent yet: an orderly stop loses no count. */
async function storeCounts(urls: readonly string[], token: string | undefined): Promise<void> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(STORING_PATIENCE_MS);
  const scrapes = urls.map(async (url) => (await fetch(`${url}/metrics`, { headers, signal })).text());
  await Promise.allSettled(scrapes);
}
