import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Compared } from "./bench-row.ts";

/** One request, sent repeatedly. */
export interface Load {
  readonly ports: readonly number[];
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly durationMs: number;
}

export interface Sample {
  readonly requests: number;
  readonly perSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly decided: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A subject to measure: a request, the process that answers it, and what else to report about the responses. */
export interface Subject extends Compared {
  readonly load: Pick<Load, "ports" | "method" | "path" | "headers" | "body">;
  readonly pid: () => number;
  /** Whether this process does a part of the work, such as that of the model. */
  readonly isServedHereToo?: boolean;
  readonly status: number;
}

/** Makes docs/performance.md of the parts that it shows. */
export const WRITES = process.argv.includes("--write");
/** One short round: the direction, not exact figures. */
export const QUICK = process.argv.includes("--quick");
const SERVER_CORE = "0";
export const LOAD_CORE = "1";
const TICKS_PER_SECOND = 100;

/** All servers run on one core. The load comes from the other. */
export function pinToServerCore(): void {
  pinTo(SERVER_CORE);
}

/** To any core. */
export function unpin(): void {
  pinTo(`0-${cpus().length - 1}`);
}

function pinTo(cores: string): void {
  execFileSync("taskset", ["-cp", cores, String(process.pid)], { stdio: "ignore" });
}

export function generate(load: Load): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, "load.ts");
    const child = spawn("taskset", ["-c", LOAD_CORE, process.execPath, script, JSON.stringify(load)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output) as Sample);
      else reject(new Error(`the load generator ended with ${code}`));
    });
  });
}

export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
