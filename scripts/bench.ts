import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { run as archive } from "./bench/archive.ts";
import { run as calls } from "./bench/calls.ts";
import { run as overview } from "./bench/console.ts";
import { run as edge } from "./bench/edge.ts";
import { run as gate } from "./bench/gate.ts";
import { run as moves } from "./bench/moves.ts";
import { run as orgs } from "./bench/orgs.ts";
import { run as policy } from "./bench/policy.ts";
import { run as proxy } from "./bench/proxy.ts";
import { run as ingest } from "./bench/ingest.ts";
import { run as redis } from "./bench/redis.ts";
import { run as reports } from "./bench/reports.ts";
import { run as startUp } from "./bench/start-up.ts";
import { run as rowsWritten } from "./bench/rows.ts";
import { type BenchRow, pinToServerCore, QUICK, worstDrift, WRITES } from "./bench/harness.ts";
import { chosenParts } from "./bench/options.ts";
import { performancePage } from "./bench/performance.ts";
import { ROOT } from "./worker-config.ts";

/**
 * What the product costs, relative to an empty app in the same runtime. `--quick` runs one short round and discards
 * nothing: it shows the direction, not exact figures. An argument selects one part: `bench gate`. `--write` makes
 * docs/performance.md of the parts that it shows. `bench archive --runs 10000000` says how many runs go through the
 * archive, `bench reports --runs 10000000` how many a report is about,
 * `bench console --runs 200000` how many the org of the overview has, and `--folder path` keeps them, to be measured again.
 * `bench proxy --rows stream` measures only the rows with that in their name.
 */
const PARTS: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  gate,
  edge,
  calls,
  start: startUp,
  redis,
  orgs,
  policy,
  ingest,
  reports,
  console: overview,
  rows: rowsWritten,
  archive,
  moves,
  proxy,
};

const WRITTEN = ["gate", "calls", "redis", "ingest", "rows", "proxy"];

const [load = 0] = loadavg();
const chosen = WRITES ? WRITTEN : chosenParts();
const unknown = chosen.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  throw new Error(`no part is named '${unknown}': take one of ${Object.keys(PARTS).join(", ")}`);
}
// What takes long by itself goes where there is room. It is measured by processor time.
if (!["archive", "moves", "reports", "edge"].includes(chosen.join())) pinToServerCore();
const rows: BenchRow[] = [];
for (const [name, run] of Object.entries(PARTS)) {
  if (chosen.length === 0 || chosen.includes(name)) rows.push(...(await run()));
}
print(rows);
const folder = join(ROOT, ".sluice");
mkdirSync(folder, { recursive: true });
const report = { at: new Date().toISOString(), quick: QUICK, machine: process.arch, rows };
writeFileSync(join(folder, "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
if (WRITES) {
  const day = new Date().toISOString().slice(0, 10);
  const machine = { day, load, drift: worstDrift, processor: cpus()[0]?.model.trim() || process.arch };
  writeFileSync(join(ROOT, "docs/performance.md"), performancePage(rows, machine));
  console.log("\nwrote docs/performance.md");
}

function print(table: readonly BenchRow[]): void {
  const lines = [["", "per second, or rows", "CPU us", "ratio", "of", "target", ""]];
  for (const { name, perSecond, cpuMicros, ratio, of, target, note } of table) {
    lines.push([
      name,
      String(perSecond),
      cpuMicros === null ? "" : String(cpuMicros),
      ratio === null ? "" : ratio.toFixed(2),
      of ?? "",
      target === null ? "" : target.toFixed(2),
      note,
    ]);
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join("  "));
  }
}
