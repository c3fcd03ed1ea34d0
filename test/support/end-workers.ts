import { execFile } from "node:child_process";
import type { Reporter } from "vitest/node";

/** The runtime of a file that ended may be called once more by an alarm, which then gets no answer and never stops. */
const PATIENCE_MS = 15_000;

/** Set in the environment of the run once no file has a result to report. */
export const ALL_REPORTED = "SLUICE_ALL_FILES_REPORTED";

/** Ends runtimes that are still there when every file has been reported. The run does not fail for their end. */
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
      process.env[ALL_REPORTED] = "yes";
      execFile("pkill", ["-KILL", "-P", String(process.pid), "workerd"], () => undefined);
    }, PATIENCE_MS).unref();
  }
}
