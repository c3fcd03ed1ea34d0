import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../worker-config.ts";

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The file for its test report, as JSON. */
  readonly report?: string;
}

/** Runs all steps at once, and reports each when it ends. */
export async function sideBySide(steps: readonly Step[]): Promise<boolean> {
  console.log(`     ${steps.map(({ name }) => name).join(", ")} …`);
  const ended = await Promise.all(steps.map(runStep));
  return ended.every(Boolean);
}

async function runStep({ name, command, args }: Step): Promise<boolean> {
  const begun = performance.now();
  const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
    cwd: ROOT,
    // The tests start scripts and servers dozens of times, so compiled code is cached for the next start.
    env: { ...process.env, NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/compiled") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const hear = (text: string): void => {
    said += text;
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const ok = await new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      hear(String(error));
      resolve(false);
    });
    child.once("close", (status) => resolve(status === 0));
  });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(14)} ${seconds.padStart(6)} s`);
  if (!ok) console.log(said);
  return ok;
}
