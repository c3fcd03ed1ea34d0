import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintKey } from "../../src/domain/key/api-key.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { heapRows } from "./orgs-heap.ts";

const ORGS = QUICK ? 1000 : 4000;
/** Calls in a row: enough to teach an isolate what an org's calls touch. */
const CALLS_EACH = 5;
const CONNECTIONS = 32;
const BODY = JSON.stringify({ model: "acme/m1", estimate: { cost_usd: "0.00125" } });

/**
 * One isolate with more and more active orgs: the cost of a decision for the same orgs again, and for as many others,
 * for which the first are forgotten. Then how much memory the orgs take.
 */
export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const server = await startServer({ port: 0, dataDir: folder, entry: "scripts/bench/orgs-worker.ts" });
  try {
    const first = keysOf(server, ORGS);
    const rows = [await measure(server, "one org", first.slice(0, 1), ORGS / 5)];
    for (const name of ["", ", again"]) rows.push(await measure(server, `${ORGS} orgs${name}`, first, 1));
    rows.push(await measure(server, `${ORGS} other orgs`, keysOf(server, ORGS), 1));
    return [...rows, ...(await heapRows(ORGS))];
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function keysOf(server: Server, count: number): string[] {
  const pepper = server.settings["SVC_KEY_PEPPER"] ?? "";
  return Array.from({ length: count }, () => {
    const now = Date.now();
    return mintKey(pepper, { environment: "live", orgId: newId("org", now), keyId: newId("key", now) });
  });
}

async function measure(server: Server, name: string, keys: string[], rounds: number): Promise<BenchRow> {
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  const before = { cpu: cpuSeconds(pid), at: performance.now() };
  const todo = Array.from({ length: rounds }, () => keys).flat();
  let refused = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const client = async (): Promise<void> => {
    for (let key = todo.pop(); key !== undefined; key = todo.pop()) {
      for (let call = 0; call < CALLS_EACH; call += 1) {
        if ((await decide(server, agent, key)) !== 200) refused += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  if (refused > 0) throw new Error(`${name}: ${refused} calls were refused`);
  const calls = keys.length * rounds * CALLS_EACH;
  return {
    name,
    perSecond: Math.round(calls / ((performance.now() - before.at) / 1000)),
    cpuMicros: Math.round(((cpuSeconds(pid) - before.cpu) * 1e6) / calls),
    ratio: null,
    of: null,
    target: null,
    note: "",
  };
}

function decide(server: Server, agent: Agent, key: string): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(BODY),
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${server.urls[0]}/v1/edge/decision`, { method: "POST", agent, headers });
    asked.on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    asked.on("error", reject);
    asked.end(BODY);
  });
}
