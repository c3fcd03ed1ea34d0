import { spawn as spawnPerf } from "node:child_process";
import { readFileSync } from "node:fs";
import { pinToServerCore } from "./harness.ts";
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
import { CONNECTIONS, GOVERNED, PLAIN, PORTKEY } from "./latency-subjects.ts";
import { addedRows, type LatencyLoad, waitRows, type Waits } from "./latency-waits.ts";
import { failedRow } from "./parts.ts";
import { said } from "./rows-of-rounds.ts";
import { portkeyHeaders, startPortkey } from "./portkey.ts";
import { newBenchOrg, sender } from "./send.ts";

/**
 * What a person waits for: the first byte and the last of a model's stream, through the governed proxy, through a proxy in the
 * same runtime that hands everything on, and through Portkey's gateway. As many calls are under way as there are connections,
 * and few enough for one core.
 */

const ROUNDS = QUICK ? 1 : 3;
const DURATION_MS = QUICK ? 3000 : 4000;
const WARM_UP_MS = 2000;
const PIECES = 20;
/** By connections, the time between pieces: the calls that are begun in a second are always some 50 to 100. */
const PACES = { 1: 1, 32: 20, 256: 160 } as const;
const PATH = "/v1/chat/completions";

interface Subject extends Pick<LatencyLoad, "port" | "path" | "headers"> {
  readonly name: string;
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

async function drive(callers: ChildProcess, load: LatencyLoad): Promise<Waits> {
  callers.send(load);
  const [told] = (await once(callers, "message")) as [Waits | { readonly failure: string }];
  if ("failure" in told) throw new Error(told.failure);
  return told;
}


pinToServerCore();
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const [modelPort = 0, plainPort = 0] = await claimPorts(0, 2);
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
    companions: () => [
      {
        name: "plain-proxy",
        modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
        compatibilityDate: readWorkerConfig().compatibility_date,
        compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
        bindings: { MODE: "plain", MODEL_URL: modelUrl, SLUICE_URL: "" },
        unsafeDirectSockets: [{ host: HOST, port: plainPort }],
      },
    ],
  });

const subjects = [{ name: PLAIN, port: plainPort, path: PATH, headers: {} }, await governedSubject(server)];
const logPath = server.folder.log;
const pid = readFileSync(join(server.folder.path, "workerd.pid"), "utf8").trim();
const connections = Number(process.argv[2] ?? 1);
const q = (v: number[], p: number) => [...v].sort((a, b) => a - b)[Math.floor(v.length * p)]?.toFixed(2);
for (let round = 0; round < 2; round += 1)
  for (const { name, ...subject } of subjects) await drive(callers, { ...subject, connections, pieces: PIECES, everyMs: (PACES as any)[connections], durationMs: 4000 });
for (const { name, ...subject } of subjects) {
  const out = `/tmp/w/prices-tmp/perf-${name.split(" ")[0]}.data`;
  const p = spawnPerf("sleep", ["100"], { stdio: "inherit" });
  await new Promise((r) => setTimeout(r, 500));
  const from = readFileSync(logPath, "utf8").length;
  const w = await drive(callers, { ...subject, connections, pieces: PIECES, everyMs: (PACES as any)[connections], durationMs: 15000 });
  p.kill("SIGINT"); await new Promise((r) => p.on("close", r));
  const lines = readFileSync(logPath, "utf8").slice(from).split("\n").filter((l) => l.startsWith("{")).map((l) => JSON.parse(l));
  const by: Record<string, number> = {}; for (const l of lines) { const k = `${l.route ?? l.source} ${l.status ?? ""} ${l.decided ?? ""}`; by[k] = (by[k] ?? 0) + 1; }
  console.log(by, lines[0]);
  console.log(name, "calls", w.firstMs.length, "first p50", q(w.firstMs, .5), "p99", q(w.firstMs, .99), "piece p50", q(w.pieceMs, .5), "p99", q(w.pieceMs, .99));
}
callers.kill(); await server.dispose(); rmSync(folder, { recursive: true, force: true }); process.exit(0);
