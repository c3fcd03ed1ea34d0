import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { median } from "./statistics.ts";
import { BENCH_FOLDER, BENCH_RUNS } from "./options.ts";
import { newBenchOrg, sender } from "./send.ts";

/** The console's overview of a large org: right after its object woke, and again. */

const BATCH = 1000;
const RUNS = BENCH_RUNS ?? (QUICK ? 50_000 : 200_000);
const LIMITS = 500;
/** Budgets that count a hundred users each separately. */
const GROUPED = 100;
const VIEWS = QUICK ? 5 : 7;
const DAY_MS = 86_400_000;
const DAYS = 60;
/** The most CPU that one view may take, in milliseconds. */
const MOST_MS = 300;

interface Viewed {
  readonly name: string;
  readonly query: string;
  /** Whether the object wakes for each view, and has nothing in memory. */
  readonly wakes: boolean;
}

/** Who spends by user, key or tag is added up from rollups of the runs, and from the runs that are in none. */
const VIEWED: readonly Viewed[] = [
  ["default", ""],
  ["by user", "?by=user_id"],
  ["by key", "?by=key_id"],
  ["by tag", "?by=tag&tag=team"],
].flatMap(([name = "", query = ""]) => [
  { name: `${name}, the object just woke`, query, wakes: true },
  { name: `${name}, again`, query, wakes: false },
]);

/** In the order of time, as runs come in. */
function batch(first: number, fromMs: number): string {
  const runs = Array.from({ length: BATCH }, (_, at) => {
    const nth = first + at;
    return {
      id: `run-${nth}`,
      started_at: new Date(fromMs + Math.floor((nth / RUNS) * DAYS * DAY_MS)).toISOString(),
      model: `acme/m${nth % 12}`,
      workflow_id: `wf_${nth % LIMITS}`,
      department_id: `dep_${nth % 10}`,
      customer_id: `cus_${(nth * 7919) % 300}`,
      user_id: `user_${(nth * 104_729) % 2000}`,
      tags: { team: `team_${nth % 40}`, stage: nth % 3 === 0 ? "live" : "test" },
      usage: { input_tokens: 1000 + (nth % 997), output_tokens: 100 + (nth % 89) },
      cost_usd: `0.00${1000 + (nth % 8999)}`,
      incurred: true,
    };
  });
  return JSON.stringify({ runs });
}

async function fill(server: Server): Promise<string> {
  const send = sender(server.urls[0]);
  const { id, key } = await newBenchOrg(server, send);
  for (let nth = 0; nth < LIMITS; nth += 1) {
    const scope = { scope_kind: "workflow", scope_id: `wf_${nth}` };
    const body = { ...scope, limit_usd: String(10 + nth), period: "month", mode: "enforce" };
    await send("POST", `/v1/orgs/${id}/budgets`, key, JSON.stringify(body));
  }
  for (let nth = 0; nth < GROUPED; nth += 1) {
    const match = { department_id: `dep_${nth % 10}`, model: `acme/m${nth % 12}` };
    const body = { match, group_by: ["user_id"], limit_usd: String(1 + nth), period: "month" };
    await send("POST", `/v1/orgs/${id}/budgets`, key, JSON.stringify(body));
  }
  const fromMs = Date.now() - DAYS * DAY_MS;
  for (let first = 0; first < RUNS; first += BATCH) {
    await sent(() => send("POST", "/v1/runs/bulk", key, batch(first, fromMs)));
  }
  return id;
}

/** The org of a folder that is measured again, else a new one. */
async function filled(server: Server, file: string): Promise<string> {
  if (existsSync(file)) return readFileSync(file, "utf8");
  const id = await fill(server);
  writeFileSync(file, id, { mode: 0o600 });
  return id;
}

/** A runtime that is busy for seconds closes connections. Runs have ids, so a batch that is sent again counts once. */
async function sent<T>(send: () => Promise<T>): Promise<T> {
  for (let left = 5; ; left -= 1) {
    try {
      return await send();
    } catch (error) {
      if (left === 0 || !(error instanceof TypeError)) throw error;
    }
  }
}

/** The cookie of somebody who signed in with a link. */
async function signIn(server: Server, orgId: string): Promise<string> {
  const answer = await sent(() => fetch(server.signInLink(orgId, server.urls[0]), { redirect: "manual" }));
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function view(base: string, cookie: string, query = ""): Promise<void> {
  const answer = await sent(() => fetch(`${base}/console${query}`, { headers: { cookie } }));
  const text = await answer.text();
  if (!text.includes("What runs out next")) throw new Error(`no overview: ${answer.status}`);
}

export async function run(): Promise<BenchRow[]> {
  const folder = BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), "sluice-console-"));
  const server = await startServer({ port: 0, dataDir: join(folder, "data") });
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  try {
    const orgId = await filled(server, join(folder, "bench-console.json"));
    const cookie = await signIn(server, orgId);
    const [base] = server.urls;
    for (let round = 0; round < 3; round += 1) await view(base, cookie);
    const rows: BenchRow[] = [];
    for (const { name, query, wakes } of VIEWED) {
      const ms: number[] = [];
      await view(base, cookie, query);
      for (let round = 0; round < VIEWS; round += 1) {
        if (wakes) await server.evict(orgId);
        const before = cpuSeconds(pid);
        await view(base, cookie, query);
        ms.push((cpuSeconds(pid) - before) * 1000);
      }
      rows.push(rowOf(name, median(ms)));
    }
    return rows;
  } finally {
    await server.dispose();
    if (BENCH_FOLDER === null) rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(name: string, cpuMs: number): BenchRow {
  return {
    name: `overview, ${name}`,
    perSecond: Math.round(1000 / Math.max(cpuMs, 1)),
    cpuMicros: Math.round(cpuMs * 1000),
    ratio: cpuMs / MOST_MS,
    of: `${MOST_MS} ms of CPU`,
    target: 1,
    note: `${LIMITS} limits, ${GROUPED} more by user, ${RUNS.toLocaleString("en")} runs`,
  };
}
