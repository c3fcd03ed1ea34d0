import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../server.ts";
import { type BenchRow, cpuSeconds, median, QUICK } from "./harness.ts";
import { newBenchOrg, sender } from "./send.ts";

/** Usage reports over a month: from the sums of its days, or from the columns that a report needs. */

const BATCH = 1000;
/** `BENCH_RUNS` stores more, or fewer. */
const STORED = Number(process.env["BENCH_RUNS"] ?? (QUICK ? 50_000 : 1_000_000));
const CUSTOMERS = 500;
const REPORTS = QUICK ? 3 : 9;
const DAY_MS = 86_400_000;
const DAYS = 30;
/** What the time of a report is stated for. */
const STATED = 10_000_000;

/** What is asked, and whether the sums of days answer it. */
const ASKED: readonly (readonly [query: string, isOfDays: boolean])[] = [
  ["customer_id", true],
  ["day,customer_id", true],
  ["customer_id,model", false],
];

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
  const folder = mkdtempSync(join(tmpdir(), "sluice-reports-"));
  const server = await startServer({ port: 0, dataDir: join(folder, "data") });
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  const send = sender(server.urls[0]);
  try {
    const { id, key } = await newBenchOrg(server, send);
    const fromMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS;
    for (let first = 0; first < STORED; first += BATCH) {
      await send("POST", "/v1/runs/bulk", key, batch(first, fromMs));
    }
    const range = `from=${day(fromMs)}&to=${day(fromMs + DAYS * DAY_MS)}`;
    const rows: BenchRow[] = [];
    for (const [groups, isOfDays] of ASKED) {
      const report = async () => {
        const path = `/v1/orgs/${id}/usage/report?${range}&group_by=${groups}&limit=10`;
        const { totals } = (await send("GET", path, key)) as unknown as { totals: { runs: number } };
        if (totals.runs !== STORED) throw new Error(`the report has ${totals.runs} runs`);
      };
      rows.push(await measured(groups, isOfDays, report, pid));
    }
    return rows;
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(
  groups: string,
  isOfDays: boolean,
  report: () => Promise<void>,
  pid: number,
): Promise<BenchRow> {
  // Until the code is compiled.
  for (let round = 0; round < 3; round += 1) await report();
  const seconds: number[] = [];
  for (let round = 0; round < REPORTS; round += 1) {
    const before = cpuSeconds(pid);
    await report();
    seconds.push(cpuSeconds(pid) - before);
  }
  const cpu = median(seconds);
  const stated = ((cpu * STATED) / STORED).toFixed(2);
  return {
    name: `a month by ${groups}`,
    perSecond: Math.round(STORED / Math.max(cpu, 0.01)),
    cpuMicros: Math.round(cpu * 1e6),
    ratio: null,
    of: null,
    target: null,
    note: `runs of ${STORED.toLocaleString("en")} in a report, by CPU; ${
      isOfDays
        ? `from the sums of ${DAYS} days, as many with any number of runs`
        : `${stated} s of CPU for ${STATED.toLocaleString("en")}`
    }`,
  };
}
