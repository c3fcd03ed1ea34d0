import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { median } from "./statistics.ts";
import { BENCH_FOLDER, BENCH_RUNS } from "./options.ts";
import { newBenchOrg, type Send, sender } from "./send.ts";

/** Usage reports over a month: from the sums of its days, or from the columns that a report needs. */

const BATCH = 1000;
const STORED = BENCH_RUNS ?? (QUICK ? 50_000 : 300_000);
const CUSTOMERS = 500;
const DAY_MS = 86_400_000;
const DAYS = 30;
/** What the time of a report is stated for. */
const STATED = 10_000_000;
const PROGRESS = 500_000;

interface Asked {
  readonly groups: string;
  /** Whether the sums of days answer it. */
  readonly isOfDays: boolean;
  readonly reports: number;
}

const ASKED: readonly Asked[] = [
  { groups: "customer_id", isOfDays: true, reports: 9 },
  { groups: "day,customer_id", isOfDays: true, reports: 9 },
  { groups: "customer_id,model", isOfDays: false, reports: 3 },
];

/** An org and the runs that it has. It is kept with its folder. */
interface Filled {
  readonly id: string;
  readonly key: string;
  readonly fromMs: number;
  sent: number;
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** In the order of time, as runs come in. */
function batch(first: number, fromMs: number): string {
  const runs = Array.from({ length: BATCH }, (_, at) => {
    const nth = first + at;
    return {
      id: `run-${nth}`,
      started_at: new Date(fromMs + Math.floor((nth / STORED) * DAYS * DAY_MS)).toISOString(),
      model: `acme/m${nth % 5}`,
      workflow_id: `wf_${nth % 20}`,
      customer_id: `cus_${(nth * 7919) % CUSTOMERS}`,
      user_id: `user_${nth % 1000}`,
      usage: {
        input_tokens: 1000 + (nth % 997),
        output_tokens: 100 + (nth % 89),
        cache_read_tokens: nth % 512,
      },
      cost_usd: `0.00${1000 + (nth % 8999)}`,
    };
  });
  return JSON.stringify({ runs });
}

export async function run(): Promise<BenchRow[]> {
  const folder = BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), "sluice-reports-"));
  const server = await startServer({ port: 0, dataDir: folder, onRemark: (line) => console.error(line) });
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  const send = sender(server.urls[0]);
  const file = join(folder, "bench-reports.json");
  try {
    const org = await openOrg(file, server, send);
    await fill(org, send).finally(() => writeFileSync(file, JSON.stringify(org), { mode: 0o600 }));
    const rows: BenchRow[] = [];
    for (const asked of ASKED) rows.push(await measured(asked, () => report(asked, org, send), pid));
    return rows;
  } finally {
    await server.dispose();
    if (BENCH_FOLDER === null) rmSync(folder, { recursive: true, force: true });
  }
}

async function openOrg(file: string, server: Server, send: Send): Promise<Filled> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Filled;
  const fromMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS;
  return { ...(await newBenchOrg(server, send)), fromMs, sent: 0 };
}

async function fill(org: Filled, send: Send): Promise<void> {
  for (; org.sent < STORED; org.sent += BATCH) {
    if (org.sent > 0 && org.sent % PROGRESS === 0) console.error(`${org.sent.toLocaleString("en")} runs`);
    await send("POST", "/v1/runs/bulk", org.key, batch(org.sent, org.fromMs));
  }
}

async function report({ groups }: Asked, { id, key, fromMs }: Filled, send: Send): Promise<void> {
  const range = `from=${day(fromMs)}&to=${day(fromMs + DAYS * DAY_MS)}`;
  const path = `/v1/orgs/${id}/usage/report?${range}&group_by=${groups}&limit=10`;
  const { totals } = (await send("GET", path, key)) as unknown as { totals: { runs: number } };
  if (totals.runs !== STORED) throw new Error(`the report has ${totals.runs} runs`);
}

async function measured(
  { groups, isOfDays, reports }: Asked,
  ask: () => Promise<void>,
  pid: number,
): Promise<BenchRow> {
  // Until the code is compiled.
  for (let round = 0; round < Math.min(reports, 3); round += 1) await ask();
  const seconds: number[] = [];
  for (let round = 0; round < (QUICK ? 3 : reports); round += 1) {
    const before = cpuSeconds(pid);
    await ask();
    seconds.push(cpuSeconds(pid) - before);
  }
  const cpu = median(seconds);
  const stated = ((cpu * STATED) / STORED).toFixed(2);
  return {
    name: `a month by ${groups}`,
    perSecond: Math.round(1 / Math.max(cpu, 0.01)),
    cpuMicros: Math.round(cpu * 1e6),
    ratio: null,
    of: null,
    target: null,
    note: `over ${STORED.toLocaleString("en")} runs, by CPU; ${
      isOfDays
        ? `from the sums of ${DAYS} days, as many with any number of runs`
        : `scanned: ${stated} s of CPU for ${STATED.toLocaleString("en")}`
    }`,
  };
}
