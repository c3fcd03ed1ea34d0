import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run as archive } from "./bench/archive.ts";
import { run as gate } from "./bench/gate.ts";
import { run as orgs } from "./bench/orgs.ts";
import { run as policy } from "./bench/policy.ts";
import { run as proxy } from "./bench/proxy.ts";
import { run as ingest } from "./bench/ingest.ts";
import { run as redis } from "./bench/redis.ts";
import { run as reports } from "./bench/reports.ts";
import { run as startUp } from "./bench/start-up.ts";
import { run as rowsWritten } from "./bench/rows.ts";
import { type BenchRow, pinToServerCore, QUICK } from "./bench/harness.ts";
import { ROOT } from "./worker-config.ts";

/**
 * What the product costs, relative to an empty app in the same runtime. `--quick` runs one short round and discards
 * nothing: it shows the direction, not exact figures. An argument selects one part: `bench gate`.
 */
const PARTS: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  gate,
  start: startUp,
  redis,
  orgs,
  policy,
  ingest,
  reports,
  rows: rowsWritten,
  archive,
  proxy,
};

pinToServerCore();
const chosen = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const rows: BenchRow[] = [];
for (const [name, run] of Object.entries(PARTS)) {
  if (chosen.length === 0 || chosen.includes(name)) rows.push(...(await run()));
}
print(rows);
const folder = join(ROOT, ".sluice");
mkdirSync(folder, { recursive: true });
const report = { at: new Date().toISOString(), quick: QUICK, machine: process.arch, rows };
writeFileSync(join(folder, "bench.json"), `${JSON.stringify(report, null, 2)}\n`);

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
