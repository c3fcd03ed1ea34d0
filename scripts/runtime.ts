import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Miniflare, type WorkerOptions } from "miniflare";
import type { DataFolder } from "./data-folder.ts";
import { appendRemark, rotateLog } from "./logfile.ts";
import { HOST } from "./ports.ts";
import { ROOT } from "./worker-config.ts";

const ROTATION_CHECK_MS = 2_000;

export interface Runtime {
  readonly miniflare: Miniflare;
  /** Kills workerd in the middle of whatever it does; resolves when it serves again. */
  crash(): Promise<void>;
  dispose(): Promise<void>;
}

/** workerd on the folder's databases, started again whenever it ends unasked. */
export function startRuntime(
  workers: WorkerOptions[],
  folder: DataFolder,
  onRemark?: (line: string) => void,
): Runtime {
  const remark = (line: string): void => {
    appendRemark(folder.log, line);
    onRemark?.(line);
  };
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
        unsafeHandleRuntimeRestart: () => {
          remark("The runtime ended unasked, and was started again.");
          restarted?.();
        },
        handleRuntimeStdio: (_stdout: Readable, stderr: Readable) => {
          createInterface(stderr).on("line", remark);
        },
        workers,
      }),
  );
  const rotation = setInterval(() => rotateLog(folder.log), ROTATION_CHECK_MS).unref();
  return {
    miniflare,
    crash: () =>
      new Promise((resolve) => {
        restarted = resolve;
        process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
      }),
    dispose: async () => {
      clearInterval(rotation);
      await miniflare.dispose();
    },
  };
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
