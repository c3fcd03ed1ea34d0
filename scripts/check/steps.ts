import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../worker-config.ts";

/** Outlives an install. */
export const CACHE = join(ROOT, "node_modules/.cache");

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file for its test report, as JSON. */
  readonly report?: string;
}

export interface Ended {
  readonly step: Step;
  readonly ok: boolean;
  readonly output: string;
  /** The file that keeps the output. */
  readonly log: string;
}

/** Runs all steps at once, and reports each when it ends. */
export function sideBySide(steps: readonly Step[]): Promise<Ended>[] {
  console.log(`     ${steps.map(({ name }) => name).join(", ")} …`);
  return steps.map(runStep);
}

async function runStep(step: Step): Promise<Ended> {
  const begun = performance.now();
  const { ok, output } = await run(step);
  const log = join(CACHE, "check", `${step.name.replaceAll(/\W+/g, "-")}.log`);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, output);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${ok ? "ok  " : "FAIL"} ${step.name.padEnd(14)} ${seconds.padStart(6)} s`);
  return { step, ok, output, log };
}

function run({ command, args, env }: Step): Promise<{ ok: boolean; output: string }> {
  const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
    cwd: ROOT,
    // The tests start scripts and servers dozens of times, so compiled code is cached for the next start.
    // The compiler and the linter of types are Go programs that end soon: they collect garbage less often than one that stays.
    env: { GOGC: "400", ...env, ...process.env, NODE_COMPILE_CACHE: join(CACHE, "compiled") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const hear = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ ok: false, output: `${output}${String(error)}` }));
    child.once("close", (status) => resolve({ ok: status === 0, output }));
  });
}
