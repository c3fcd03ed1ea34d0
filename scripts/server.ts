import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import { bundleWorker } from "./bundle.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { appendRemark, rotateLog } from "./logfile.ts";
import { migrate } from "./migrate.ts";
import { claimPorts, HOST } from "./ports.ts";
import { keepPepper, localSecrets } from "./secrets.ts";
import { resolveSettings } from "./settings.ts";
import { readWorkerConfig, ROOT, type WorkerConfig } from "./worker-config.ts";
import { workersOf } from "./workers.ts";

const ROTATION_CHECK_MS = 2_000;

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** How many isolates serve, on consecutive ports, over the same objects. */
  readonly isolates?: number;
  /** Instead of isolates: regions, on consecutive ports, each with objects and a database of its own. */
  readonly regions?: readonly string[];
  /** SVC_* variables that replace the defaults of wrangler.toml. */
  readonly settings?: NodeJS.ProcessEnv;
  /** Hears the runtime's warnings and errors. */
  readonly onRemark?: (line: string) => void;
}

export interface Server {
  readonly urls: readonly [string, ...string[]];
  readonly folder: DataFolder;
  readonly settings: Readonly<Record<string, string>>;
  /** Signs in to the console of any org of this server, once for each: no deployed Worker has it. */
  readonly signInSecret: string;
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
  const secrets = localSecrets(folder.secrets, config.secrets.required, environment);
  const ports = await claimPorts(options.port, options.regions?.length ?? options.isolates ?? 1);
  const urls = ports.map((port) => `http://${HOST}:${port}`) as [string, ...string[]];
  const settings = resolveSettings(config.vars, environment, secrets, urls[0]);
  keepPepper(folder.pepperMark, settings["SVC_KEY_PEPPER"] ?? "");
  const script = await bundleWorker(config.main);
  const signInSecret = randomBytes(32).toString("base64url");
  const bindings = { ...settings, LOCAL_SIGN_IN: signInSecret };
  const { names, workers } = workersOf(config, script, bindings, ports, options.regions);
  const pidFile = join(folder.path, "workerd.pid");
  let restarted: (() => void) | undefined;
  process.env["MINIFLARE_WORKERD_PATH"] = join(ROOT, "scripts/workerd.sh");
  const miniflare = withoutItsSignalHandlers(
    () =>
      new Miniflare({
        host: HOST,
        port: 0,
        defaultPersistRoot: join(folder.state, "v3"),
        telemetry: { enabled: false },
        unsafeRuntimeEnv: { SLUICE_LOG: folder.log, SLUICE_PID_FILE: pidFile, SLUICE_WORKERD: workerdPath() },
        unsafeHandleRuntimeRestart: () => restarted?.(),
        handleRuntimeStdio: (_stdout: Readable, stderr: Readable) =>
          listen(stderr, folder.log, options.onRemark),
        workers,
      }),
  );
  const rotation = setInterval(() => rotateLog(folder.log), ROTATION_CHECK_MS).unref();
  const dispose = async (): Promise<void> => {
    clearInterval(rotation);
    await miniflare.dispose();
    folder.close();
  };
  try {
    await miniflare.ready;
    for (const { binding, migrations_dir } of config.d1_databases) {
      for (const name of options.regions === undefined ? names.slice(0, 1) : names) {
        await migrate(await miniflare.getD1Database(binding, name), join(ROOT, migrations_dir));
      }
    }
  } catch (error) {
    await dispose().catch(() => {});
    throw error;
  }
  return {
    urls,
    folder,
    settings,
    signInSecret,
    dispose,
    evict: (name) => miniflare.unsafeEvictDurableObject(names[0], "OrgObject", { name }),
    crash: () =>
      new Promise((resolve) => {
        restarted = resolve;
        process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
      }),
  };
}

function listen(stderr: Readable, log: string, onRemark?: (line: string) => void): void {
  createInterface(stderr).on("line", (line) => {
    appendRemark(log, line);
    onRemark?.(line);
  });
}

/** Miniflare ends the process by itself when a signal comes, with a failure status and a half-written log. */
function withoutItsSignalHandlers<T>(make: () => T): T {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const made = make();
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.has(listener)) process.off(signal, listener);
    }
  });
  return made;
}

function workerdPath(): string {
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  return (ofMiniflare("workerd") as { default: string }).default;
}
