import { execFileSync } from "node:child_process";
import type { MiniflareOptions } from "miniflare";
import { plainMiniflare } from "../plain-miniflare.ts";
import { claimPorts, HOST } from "../ports.ts";
import { readWorkerConfig } from "../worker-config.ts";

export interface OwnRuntime {
  readonly port: number;
  readonly pid: () => number;
  readonly dispose: () => Promise<void>;
}

/** One Worker in a workerd process of its own, served like the product: on its own socket. */
export async function startAlone(script: string, more: Partial<MiniflareOptions> = {}): Promise<OwnRuntime> {
  const { compatibility_date, compatibility_flags } = readWorkerConfig();
  const [port = 0] = await claimPorts(0, 1);
  const before = new Set(workerds());
  const miniflare = plainMiniflare({
    host: HOST,
    port: 0,
    modules: [{ type: "ESModule", path: "worker.mjs", contents: script }],
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    unsafeDirectSockets: [{ host: HOST, port }],
    ...more,
  } as MiniflareOptions);
  await miniflare.ready;
  const pid = workerds().find((id) => !before.has(id));
  if (pid === undefined) throw new Error("workerd did not start");
  return { port, pid: () => pid, dispose: () => miniflare.dispose() };
}

/** The workerd processes that this process started. */
function workerds(): number[] {
  const children = execFileSync("ps", ["-o", "pid=,comm=", "--ppid", String(process.pid)], {
    encoding: "utf8",
  });
  return children
    .split("\n")
    .filter((line) => line.includes("workerd"))
    .map((line) => Number(line.trim().split(" ")[0]));
}
