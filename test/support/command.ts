import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { inherited } from "./environment.ts";

/** One of the project's scripts, run as npm runs it, observed from outside. */

export interface Command {
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Its exit status once it has ended. Null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Resolves once stdout contains the text; rejects if the script ends before. */
  says(text: string): Promise<void>;
}

export function runScript(script: string, args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const child = spawn(process.execPath, [join("scripts", script), ...args], {
    env: { ...inherited(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.stdout.includes(text)) resolve();
        };
        child.stdout.on("data", look);
        look();
        void ended.then((status) => reject(new Error(`${script} ended (${status}): ${output.stderr}`)));
      }),
  };
}

/** `npm start` on a folder, up and serving. */
export async function startOn(
  dataDir: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Command & { readonly demo: Demo }> {
  const command = runScript("start.ts", [], { PORT: "0", SLUICE_DATA_DIR: dataDir, ...environment });
  await command.says("/v1/meta/deprecations");
  const demo = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as Demo;
  return { ...command, demo };
}

/** The runtime's process, which the server's process supervises. */
export function runtimeOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, "workerd.pid"), "utf8"));
}

/** A process that has ended but was not reaped yet does not count as alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
