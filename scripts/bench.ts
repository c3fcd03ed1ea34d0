import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
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
import { run as latency } from "./bench/latency.ts";
import { run as ingest } from "./bench/ingest.ts";
import { run as redis } from "./bench/redis.ts";
import { run as reports } from "./bench/reports.ts";
import { run as segments } from "./bench/segments.ts";
import { run as startUp } from "./bench/start-up.ts";
import { run as rowsWritten } from "./bench/rows.ts";
import type { BenchRow } from "./bench/bench-row.ts";
import { pinToServerCore, QUICK, unpin, WRITES } from "./bench/harness.ts";
import { after, chosenParts } from "./bench/options.ts";
import { ALONE, inOwnProcess } from "./bench/part-process.ts";
import { type Part, runParts } from "./bench/parts.ts";
import { performancePage } from "./bench/performance.ts";
import { tableLines } from "./bench/table.ts";
import { ROOT } from "./worker-config.ts";

/**
 * What the product costs, beside an empty app in the same runtime and what else one would use. Each part runs in a process of
 * its own. It is printed, and kept in .sluice/bench.json, as it ends. `--quick` runs one short round: it shows the direction,
 * not exact figures. An argument selects one part, which then takes as long as it needs: `bench gate`. `--write` makes
 * docs/performance.md of the parts that it shows.
 * `bench archive --runs 10000000` says how many runs go through the archive, `bench reports --runs 10000000` how many a
 * report is about, `bench console --runs 200000` how many the org of the console has, and `--folder path` keeps them, to be
 * measured again. `bench proxy --rows stream` measures only the rows with that in their name.
 */
const PARTS: Readonly<Record<string, Part>> = {
  gate,
  calls,
  redis,
  ingest,
  rows: rowsWritten,
  proxy,
  latency,
  start: startUp,
  orgs,
  policy,
  reports,
  console: overview,
  moves,
  edge,
  archive,
  segments,
};

const WRITTEN = ["gate", "calls", "redis", "ingest", "rows", "proxy", "latency"];
/** They take long, or drive load from this process, and go where there is room. */
const UNPINNED = ["archive", "moves", "reports", "edge", "segments"];

/** All parts together end within this, whatever the machine does. */
const MOST_SECONDS = 15 * 60;
/** The most that one of them takes of it. */
const MOST_SECONDS_EACH = 4 * 60;

const alone = after(ALONE);
await (alone === null ? measureAll() : measureAlone(alone));

/** In the process of a part. Whatever it leaves open ends with it. */
async function measureAlone(name: string): Promise<void> {
  const run = PARTS[name];
  if (run === undefined) throw new Error(`no part is named '${name}'`);
  process.once("disconnect", () => process.exit(1));
  if (UNPINNED.includes(name)) unpin();
  else pinToServerCore();
  const rows = await runParts([[name, run]], () => undefined);
  process.send?.(rows, () => process.exit(0));
}

async function measureAll(): Promise<void> {
  const chosen = WRITES ? WRITTEN : chosenParts();
  const unknown = chosen.find((name) => !(name in PARTS));
  if (unknown !== undefined) {
    throw new Error(`no part is named '${unknown}': take one of ${Object.keys(PARTS).join(", ")}`);
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  const folder = join(ROOT, ".sluice");
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const names = Object.keys(PARTS).filter((name) => chosen.length === 0 || chosen.includes(name));
  const isBounded = WRITES || chosen.length === 0;
  const began = performance.now();
  const secondsLeft = () => (isBounded ? MOST_SECONDS - (performance.now() - began) / 1000 : Infinity);
  const ended: BenchRow[] = [];
  const rows = await runParts(
    names.map((name) => [name, () => measuredWithin(name, secondsLeft())] as const),
    (part) => {
      console.log(`\n## ${part.name} (${part.seconds.toFixed(0)} s)\n${tableLines(part.rows).join("\n")}`);
      ended.push(...part.rows);
      const report = { at, quick: QUICK, machine: process.arch, rows: ended };
      writeFileSync(join(folder, "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
    },
  );
  if (WRITES) {
    const machine = { day: at.slice(0, 10), processor: cpus()[0]?.model.trim() || process.arch };
    writeFileSync(join(ROOT, "docs/performance.md"), performancePage(rows, machine));
    console.log("\nwrote docs/performance.md");
  }
  const failed = rows.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) {
    console.error(`\nnot measured, or not in every round: ${failed.map(({ name }) => name).join("; ")}`);
    process.exitCode = 1;
  }
}

async function measuredWithin(name: string, secondsLeft: number): Promise<BenchRow[]> {
  if (secondsLeft <= 0) throw new Error(`it did not begin: ${MOST_SECONDS / 60} minutes were over`);
  const most = secondsLeft === Infinity ? Infinity : Math.min(MOST_SECONDS_EACH, secondsLeft);
  return inOwnProcess(import.meta.filename, name, most);
}
