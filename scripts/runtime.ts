import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Log, LogLevel, Miniflare, type WorkerOptions } from "miniflare";
import type { Complaint } from "./complaint.ts";
import type { DataFolder } from "./data-folder.ts";
import { remarksTo, rotateLog } from "./logfile.ts";
import { HOST } from "./ports.ts";
import { moduleFor } from "./served-scripts.ts";
import { type RuntimeEvents, Supervisor } from "./supervisor.ts";
import { ROOT } from "./worker-config.ts";
import { collectOnOneThread } from "./v8-flags.ts";

const ROTATION_CHECK_MS = 2_000;

/** workerd says so if an object moves its alarm while that goes off. The alarm is not lost. */
const ONLY_FOR_THE_LOG = "SQLite alarm overdue, running despite AlarmManager mismatch";

export interface RuntimeOptions {
  readonly workers: WorkerOptions[];
  readonly folder: DataFolder;
  /** What must be done before a runtime counts as started. It may run again. */
  readonly prepare: (miniflare: Miniflare) => Promise<void>;
  readonly onRemark?: ((line: string) => void) | undefined;
  /** Called if a runtime ended and cannot be restarted. */
  readonly onLost: (complaint: Complaint) => void;
}

export interface Runtime {
  miniflare(): Miniflare;
  /** Kills workerd abruptly. Resolves when it serves again. */
  crash(): Promise<void>;
  dispose(): Promise<void>;
}

/** workerd on the folder's databases, restarted whenever it ends unexpectedly. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { folder, onRemark } = options;
  const write = remarksTo(folder.log);
  const remark = (line: string): void => {
    write(line);
    if (!line.includes(ONLY_FOR_THE_LOG)) onRemark?.(line);
  };
  let restarted: (() => void) | undefined;
  const supervisor = new Supervisor({
    make: (events) => makeMiniflare(options, remark, events),
    prepare: options.prepare,
    remark,
    log: folder.log,
    onRestart: () => {
      remark("The runtime exited unexpectedly and was restarted.");
      restarted?.();
    },
    onLost: options.onLost,
  });
  const rotation = setInterval(() => rotateLog(folder.log), ROTATION_CHECK_MS).unref();
  const dispose = async (): Promise<void> => {
    clearInterval(rotation);
    await supervisor.stop();
  };
  try {
    await supervisor.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    miniflare: () => supervisor.current,
    crash: () =>
      new Promise((resolve) => {
        restarted = resolve;
        process.kill(Number(readFileSync(pidFile(folder), "utf8")), "SIGKILL");
      }),
    dispose,
  };
}

function pidFile(folder: DataFolder): string {
  return join(folder.path, "workerd.pid");
}

function makeMiniflare(
  { workers, folder }: RuntimeOptions,
  remark: (line: string) => void,
  events: RuntimeEvents,
): Miniflare {
  collectOnOneThread();
  process.env["MINIFLARE_WORKERD_PATH"] = join(ROOT, "scripts/workerd.sh");
  return withoutItsSignalHandlers(
    () =>
      new Miniflare({
        host: HOST,
        port: 0,
        log: new FailureLog(events.failed, remark),
        defaultPersistRoot: join(folder.state, "v3"),
        telemetry: { enabled: false },
        // Otherwise each start asks Cloudflare where this machine is, and without a network waits for it.
        cf: false,
        unsafeRuntimeEnv: {
          SLUICE_LOG: folder.log,
          SLUICE_PID_FILE: pidFile(folder),
          SLUICE_WORKERD: workerdPath(),
        },
        unsafeHandleRuntimeRestart: events.restarted,
        handleRuntimeStdio: (_stdout: Readable, stderr: Readable) => {
          createInterface(stderr).on("line", remark).on("close", events.ended);
        },
        unsafeModuleFallbackService: moduleFor,
        workers,
      }),
  );
}

/** Miniflare restarts a runtime that ended, once. If that fails, it only writes to its log. */
class FailureLog extends Log {
  readonly #failed: (error: Error) => void;
  readonly #remark: (line: string) => void;

  constructor(failed: (error: Error) => void, remark: (line: string) => void) {
    super(LogLevel.NONE);
    this.#failed = failed;
    this.#remark = remark;
  }

  override error(message: Error): void {
    const { code } = message as { code?: string };
    if (code === "ERR_RUNTIME_FAILURE") this.#failed(message);
    else this.#remark(String(message));
  }
}

/** On a signal, Miniflare ends the process itself, with a failure status and a half-written log. */
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
