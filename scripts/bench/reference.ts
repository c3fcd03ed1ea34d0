import { execFileSync } from "node:child_process";
import { Miniflare } from "miniflare";
import { bundleWorker } from "../bundle.ts";
import { claimPorts, HOST } from "../ports.ts";
import { readWorkerConfig } from "../worker-config.ts";

export interface Reference {
  readonly port: number;
  readonly pid: () => number;
  dispose(): Promise<void>;
}

/** The same workerd with a bare Hono app, served like the product: on its own socket. */
export async function startReference(): Promise<Reference> {
  const config = readWorkerConfig();
  const [port = 0] = await claimPorts(0, 1);
  const before = new Set(workerds());
  delete process.env["MINIFLARE_WORKERD_PATH"];
  const miniflare = new Miniflare({
    host: HOST,
    port: 0,
    telemetry: { enabled: false },
    name: "reference",
    modules: [
      {
        type: "ESModule",
        path: "reference.mjs",
        contents: await bundleWorker("scripts/bench/reference-worker.ts"),
      },
    ],
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    durableObjects: { COUNTER: { className: "Counter", useSQLite: true } },
    unsafeDirectSockets: [{ host: HOST, port }],
  });
  await miniflare.ready;
  const pid = workerds().find((id) => !before.has(id));
  if (pid === undefined) throw new Error("workerd did not start");
  return { port, pid: () => pid, dispose: () => miniflare.dispose() };
}

/** The workerd processes that this process started. */
export function workerds(): number[] {
  const children = execFileSync("ps", ["-o", "pid=,comm=", "--ppid", String(process.pid)], {
    encoding: "utf8",
  });
  return children
    .split("\n")
    .filter((line) => line.includes("workerd"))
    .map((line) => Number(line.trim().split(" ")[0]));
}
