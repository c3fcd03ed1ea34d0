import { execFile } from "node:child_process";
import type { Reporter } from "vitest/node";

/** The runtime of a file that ended may be called once more by an alarm, which then gets no answer and never stops. */
const PATIENCE_MS = 15_000;

/** Ends runtimes that are still there when every file has been reported. */
// oxlint-disable-next-line import/no-default-export -- Vitest loads a reporter by its path
export default class EndWorkers implements Reporter {
  #left = 0;

  onTestRunStart(files: readonly unknown[]): void {
    this.#left = files.length;
  }

  onTestModuleEnd(): void {
    this.#left -= 1;
    if (this.#left > 0) return;
    setTimeout(() => {
      execFile("pkill", ["-KILL", "-P", String(process.pid), "workerd"], () => undefined);
    }, PATIENCE_MS).unref();
  }
}
