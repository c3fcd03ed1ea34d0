import { randomBytes } from "node:crypto";
import { localSignInToken } from "../src/domain/people/local-sign-in.ts";
import { bundleWorker } from "./bundle.ts";
import type { Complaint } from "./complaint.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import type { WorkerOptions } from "miniflare";
import { migrateAll, migratorOf } from "./migrating/migrator.ts";
import { claimPorts, HOST } from "./ports.ts";
import { startRuntime } from "./runtime.ts";
import { keepPepper, localSecrets } from "./secrets.ts";
import { buildAssets } from "./reference/assets.ts";
import { resolveSettings, unknownSettings } from "./settings.ts";
import { type LocalProxy, proxyWorker } from "./local-proxy.ts";
import { Journal } from "./northwind/journal.ts";
import { FRONT, readWorkerConfig, type WorkerConfig } from "./worker-config.ts";
import { frontOf, workersOf } from "./workers.ts";

const PAST_WORKER = "scripts/northwind/past-worker.ts";
/** How many steps `onStep` receives. */
export const SERVER_STEPS = 2;

export interface ServerOptions {
  /** 0 picks any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** How many isolates to run over the same objects, on consecutive ports. */
  readonly isolates?: number;
  /** Instead of isolates: regions on consecutive ports, each with its own objects and database. */
  readonly regions?: readonly string[];
  /** Serves the governed proxy too. */
  readonly proxy?: LocalProxy;
  /** Serves the front Worker too, on a port of its own. */
  readonly isFronted?: boolean;
  /** A module that wraps the Worker, for tests. */
  readonly entry?: string;
  /** Other Workers in the same runtime, which may have bindings to the one of this name. */
  readonly companions?: (service: string) => readonly WorkerOptions[];
  /** More variables of the Worker, for tests. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether Northwind is to be made, if the folder is new. Then the Worker starts in the past. */
  readonly withNorthwind?: boolean;
  /** SVC_* variables that replace the defaults of wrangler.toml. */
  readonly settings?: NodeJS.ProcessEnv;
  /** Runs before `/healthz` reports ready, for work that clients expect to be done by then. */
  readonly beforeReady?: (server: Server) => Promise<void>;
  /** Called if the runtime ended and cannot be restarted. Nothing is served from then on. */
  readonly onLost?: (complaint: Complaint) => void;
  /** Receives unknown settings, and the runtime's warnings and errors. */
  readonly onRemark?: (line: string) => void;
  /** Receives each step of the start as it begins. */
  readonly onStep?: (step: string) => void;
}

export interface Server {
  readonly urls: readonly [string, ...string[]];
  /** Null: it was not asked for. */
  readonly proxyUrl: string | null;
  /** Null: it was not asked for. */
  readonly frontUrl: string | null;
  readonly folder: DataFolder;
  /** The Northwind that is yet to be made. */
  readonly northwind: Journal | null;
  readonly settings: Readonly<Record<string, string>>;
  /** The one-time link that signs in to an org's console on this server. A deployed Worker has none. */
  signInLink(orgId: string, url?: string): string;
  /** Evicts an org's object from memory, as the platform can at any time. */
  evict(orgId: string): Promise<void>;
  /** Kills the runtime abruptly. Resolves when it serves again. */
  crash(): Promise<void>;
  dispose(): Promise<void>;
}

/** Serves the real Worker in workerd, on workerd's own sockets, without a proxy. */
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
  keepPepper(folder.pepperMark, settings["SVC_KEY_PEPPER"] ?? "", settings["SVC_KEY_PEPPER_PREVIOUS"]);
  options.onStep?.("bundling the Worker and rendering the guides");
  // Bundling is the work of another process, so the guides are rendered meanwhile.
  const [script] = await Promise.all([bundleWorker(options.entry ?? config.main), buildAssets()]);
  const northwind = options.withNorthwind === true ? Journal.of(folder) : null;
  const signInSecret = randomBytes(32).toString("base64url");
  let ready = false;
  const { names, workers } = workersOf(config, {
    script,
    settings: { ...settings, ...options.variables, LOCAL_SIGN_IN: signInSecret },
    ports,
    regions: options.regions,
    isReady: () => ready,
    past: northwind === null ? null : { clock: northwind.clock, script: await bundleWorker(PAST_WORKER) },
  });
  const { proxy } = options;
  const served = proxy === undefined ? null : await proxyWorker(proxy, names[0]);
  const front = options.isFronted === true ? await frontWorker(config, settings) : null;
  const migrator = await migratorOf(config, workers);
  options.onStep?.("starting the runtime");
  const runtime = await startRuntime({
    workers: [
      ...workers,
      migrator,
      ...(options.companions?.(names[0]) ?? []),
      ...(served === null ? [] : [served.worker]),
      ...(front === null ? [] : [front.worker]),
    ],
    folder,
    prepare: migrateAll,
    onRemark: options.onRemark,
    onLost: (complaint) => options.onLost?.(complaint),
  });
  const server: Server = {
    urls,
    proxyUrl: served?.url ?? null,
    frontUrl: front?.url ?? null,
    folder,
    northwind,
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

async function frontWorker(
  config: WorkerConfig,
  settings: Record<string, string>,
): Promise<{ url: string; worker: WorkerOptions }> {
  const [port = 0] = await claimPorts(0, 1);
  const script = await bundleWorker(FRONT);
  return { url: `http://${HOST}:${port}`, worker: frontOf(config, { script, settings, port }) };
}

function signInLink(url: string, org: string, secret: string): string {
  return `${url}/console/enter?${new URLSearchParams({ org, token: localSignInToken(secret, org) })}`;
}

const STORING_PATIENCE_MS = 1000;

/** A scrape stores counts that an isolate has not sent yet, so an orderly stop loses none. */
async function storeCounts(urls: readonly string[], token: string | undefined): Promise<void> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(STORING_PATIENCE_MS);
  const scrapes = urls.map(async (url) => (await fetch(`${url}/metrics`, { headers, signal })).text());
  await Promise.allSettled(scrapes);
}
