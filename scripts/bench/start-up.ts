import { gzipSync } from "node:zlib";
import { transform } from "esbuild";
import { bundleWorker } from "../bundle.ts";
import { FRONT, readWorkerConfig } from "../worker-config.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { median } from "./statistics.ts";
import { firstDecision } from "./hops.ts";
import { startAlone } from "./own-runtime.ts";

const STARTS = QUICK ? 3 : 5;
const EMPTY = "export default { fetch: () => new Response() };";
const TARGET_MS = 50;

/** What a cold location pays before its first request: processor time of a runtime that starts a Worker, less that of one that starts nothing. */
export async function run(): Promise<BenchRow[]> {
  const scripts = {
    "start the front Worker": await deployed(FRONT),
    "start the whole Worker": await deployed(readWorkerConfig().main),
  };
  const costs = new Map(Object.keys(scripts).map((name) => [name, [] as number[]]));
  for (let start = 0; start < STARTS; start += 1) {
    const empty = await startedIn(EMPTY);
    for (const [name, script] of Object.entries(scripts)) {
      costs.get(name)?.push((await startedIn(script)) - empty);
    }
  }
  const started = Object.entries(scripts).map(([name, script]) =>
    rowOf(name, script, median(costs.get(name) ?? [])),
  );
  return [...started, await firstDecision()];
}

/** As it is deployed. */
async function deployed(entry: string): Promise<string> {
  const bundle = await bundleWorker(entry);
  const { code } = await transform(bundle, { minify: true, format: "esm", target: "es2024" });
  return code;
}

function rowOf(name: string, script: string, seconds: number): BenchRow {
  return {
    name,
    perSecond: Math.round(1 / seconds),
    cpuMicros: Math.round(seconds * 1e6),
    ratio: Number((TARGET_MS / 1000 / seconds).toFixed(3)),
    of: `${TARGET_MS} ms`,
    target: 1,
    note: `${kilobytes(Buffer.byteLength(script))}, compressed ${kilobytes(gzipSync(script).byteLength)}`,
  };
}

async function startedIn(script: string): Promise<number> {
  const { pid, dispose } = await startAlone(script);
  try {
    return cpuSeconds(pid());
  } finally {
    await dispose();
  }
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}
