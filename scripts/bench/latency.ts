import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../bundle.ts";
import { claimPorts, HOST } from "../ports.ts";
import { type Server, startServer } from "../server.ts";
import { readWorkerConfig } from "../worker-config.ts";
import type { BenchRow } from "./bench-row.ts";
import { LOAD_CORE, QUICK } from "./harness.ts";
import { CONNECTIONS, COPYING, GOVERNED, PLAIN, PORTKEY } from "./latency-subjects.ts";
import { addedRows, type LatencyLoad, waitRows, type Waits } from "./latency-waits.ts";
import { failedRow } from "./parts.ts";
import { said } from "./rows-of-rounds.ts";
import { portkeyHeaders, startPortkey } from "./portkey.ts";
import { newBenchOrg, sender } from "./send.ts";

/**
 * What a person waits for: the first byte and the last of a model's stream, through the governed proxy, through proxies in the
 * same runtime that hand everything on or copy it, and through Portkey's gateway. As many calls are under way as there are connections,
 * and few enough for one core.
 */

const ROUNDS = QUICK ? 1 : 3;
const DURATION_MS = 3000;
const WARM_UP_MS = 1500;
const PIECES = 20;
/** By connections, the time between pieces: the calls that are begun in a second are always some 50 to 100. */
const PACES = { 1: 1, 32: 20, 256: 160 } as const;
const PATH = "/v1/chat/completions";

interface Subject extends Pick<LatencyLoad, "port" | "path" | "headers"> {
  readonly name: string;
}

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const [modelPort = 0, plainPort = 0, copyingPort = 0] = await claimPorts(0, 3);
  const modelUrl = `http://${HOST}:${modelPort}`;
  const callers = spawnCallers(modelPort);
  await once(callers, "message");
  const script = await bundleWorker("scripts/bench/proxy-worker.ts");
  const server = await startServer({
    port: 0,
    dataDir: folder,
    proxy: {
      port: 0,
      settings: { PROXY_ORGS: "*", OPENAI_API_KEY: "none", OPENAI_URL: modelUrl, OPENAI_MODELS: "" },
    },
    companions: () =>
      [["plain", plainPort] as const, ["copying", copyingPort] as const].map(([mode, port]) => ({
        name: `${mode}-proxy`,
        modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
        compatibilityDate: readWorkerConfig().compatibility_date,
        compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
        bindings: { MODE: mode, MODEL_URL: modelUrl, SLUICE_URL: "" },
        unsafeDirectSockets: [{ host: HOST, port }],
      })),
  });
  const portkey = await startPortkey(modelUrl);
  try {
    const subjects: Subject[] = [
      { name: PLAIN, port: plainPort, path: PATH, headers: {} },
      { name: COPYING, port: copyingPort, path: PATH, headers: {} },
      await governedSubject(server),
    ];
    if (portkey !== null)
      subjects.push({ name: PORTKEY, port: portkey.port, path: PATH, headers: portkeyHeaders(modelUrl) });
    const rows: BenchRow[] = [];
    for (const connections of CONNECTIONS) rows.push(...(await compare(callers, subjects, connections)));
    return rows;
  } finally {
    portkey?.stop();
    callers.kill();
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function spawnCallers(modelPort: number): ChildProcess {
  const script = join(import.meta.dirname, "latency-load.ts");
  const command = ["-c", LOAD_CORE, process.execPath, script, String(modelPort)];
  return spawn("taskset", command, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** An org with a price, a budget, a limit for each customer and a cap, none of which is ever full. */
async function governedSubject(server: Server): Promise<Subject> {
  const send = sender(server.urls[0]);
  const { id, key } = await newBenchOrg(server, send);
  const far = { limit_usd: "900000000", period: "month" };
  const set = (method: string, path: string, body: object) =>
    send(method, `/v1/orgs/${id}/${path}`, key, JSON.stringify(body));
  await set("PUT", "models/m1", { input_usd_per_mtok: "1", output_usd_per_mtok: "4" });
  await set("POST", "budgets", { ...far, scope_kind: "org", mode: "enforce" });
  await set("POST", "customer-limits", { ...far, customer_id: "*" });
  await set("PUT", "spend-cap", { cap_usd: "900000000" });
  return {
    name: GOVERNED,
    port: Number(new URL(server.proxyUrl ?? "").port),
    path: `/openai${PATH}`,
    headers: { authorization: `Bearer ${key}` },
  };
}

/** All proxies in turns. One that fails is named, and what it did in other rounds is told with the others. */
async function compare(
  callers: ChildProcess,
  subjects: readonly Subject[],
  connections: (typeof CONNECTIONS)[number],
): Promise<BenchRow[]> {
  const rounds = new Map(subjects.map(({ name }) => [name, [] as (Waits | null)[]]));
  const failures = new Map<string, string>();
  // The first round compiles, opens connections and makes traffic steady.
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, ...subject } of subjects) {
      const pace = {
        connections,
        pieces: PIECES,
        everyMs: PACES[connections],
        durationMs: round < 0 ? WARM_UP_MS : DURATION_MS,
      };
      const waits = await drive(callers, { ...subject, ...pace }).catch((error: unknown) => {
        failures.set(name, said(error));
        return null;
      });
      if (round >= 0) rounds.get(name)?.push(waits);
    }
  }
  return [
    ...Array.from(failures, ([name, failure]) => failedRow(`${name}, ${connections} connections`, failure)),
    ...Array.from(rounds).flatMap(([name, waits]) => waitRows(name, connections, waits)),
    ...addedRows(connections, rounds.get(GOVERNED) ?? [], rounds.get(PLAIN) ?? []),
  ];
}

async function drive(callers: ChildProcess, load: LatencyLoad): Promise<Waits> {
  callers.send(load);
  const [told] = (await once(callers, "message")) as [Waits | { readonly failure: string }];
  if ("failure" in told) throw new Error(told.failure);
  return told;
}
