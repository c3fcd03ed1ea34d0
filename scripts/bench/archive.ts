import { type BenchOrg, openBenchOrg } from "./archive-org.ts";
import { checkAll } from "./archive-checks.ts";
import { runAt } from "./archive-runs.ts";
import { archiveSteps, checkpoints, longestAlone, merges, wake } from "./archive-times.ts";
import type { BenchRow } from "./bench-row.ts";
import { QUICK } from "./harness.ts";
import { median } from "./statistics.ts";
import { BENCH_RUNS } from "./options.ts";

/**
 * Runs through the archive of a running server, by the API: sent in bulk, archived a day later, then listed, looked up, sent
 * again and summed up, and compared with what was sent. Processor time is that of the thread that runs the object, because
 * the machine may be shared.
 */
const RUNS = BENCH_RUNS ?? (QUICK ? 50_000 : 100_000);
const BATCH = 1000;
/** What an org sends in a day. */
const DAY_RUNS = 250_000;
const DAY_SECONDS = 90_000;
const POLL_MS = 500;
const MOST_POLLS = 20_000;

export async function run(): Promise<BenchRow[]> {
  const org = await openBenchOrg();
  try {
    const rows = await fill(org);
    const checked = await checkAll(org);
    const notes = [checked, await wake(org), await checkpoints(org), longestAlone(), await merges(org)];
    notes.push(await archiveSteps(org));
    // What was measured was also stored.
    await checkAll(org);
    org.save();
    return [...rows, await storedRow(org, notes)];
  } finally {
    await org.dispose();
  }
}

async function fill(org: BenchOrg): Promise<BenchRow[]> {
  const { saved } = org;
  const rows: BenchRow[] = [];
  while (saved.sent < RUNS) {
    const until = Math.min(RUNS, saved.sent + DAY_RUNS);
    const [from, cpuMs] = [saved.sent, [] as number[]];
    while (saved.sent < until) cpuMs.push(await sendBatch(org));
    const archiveMs = await archive(org);
    org.save();
    rows.push(dayRow(from, cpuMs, archiveMs));
    console.error(`${saved.sent.toLocaleString("en")} runs: ${rows.at(-1)?.note}`);
  }
  // The first and the last day show whether the cost is flat.
  return rows.filter((_, at) => at === 0 || at === rows.length - 1 || at === Math.floor(rows.length / 10));
}

async function sendBatch(org: BenchOrg): Promise<number> {
  const { saved } = org;
  const runs = Array.from({ length: BATCH }, (_, at) => runAt(saved.sent + at, saved.startMs));
  const body = JSON.stringify({ runs });
  const before = org.cpuMs();
  const { accepted } = await org.send<{ accepted: number }>("POST", "/v1/runs/bulk", body);
  const cpuMs = org.cpuMs() - before;
  if (accepted !== BATCH) throw new Error(`${accepted} of ${BATCH} runs were accepted at ${saved.sent}`);
  saved.sent += BATCH;
  return cpuMs;
}

/** A day later, everything is archived. */
async function archive(org: BenchOrg): Promise<number> {
  const before = org.cpuMs();
  await org.advance(DAY_SECONDS);
  for (let poll = 0; poll < MOST_POLLS; poll += 1) {
    if ((await org.bench<number>("waiting")) === 0) return org.cpuMs() - before;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("the archive does not finish");
}

function dayRow(from: number, cpuMs: readonly number[], archiveMs: number): BenchRow {
  const each = median(cpuMs);
  const runs = cpuMs.length * BATCH;
  return {
    name: `bulk ingest and archive, ${from.toLocaleString("en")} stored before`,
    perSecond: Math.round((BATCH * 1000) / each),
    cpuMicros: Number(((each * 1000) / BATCH).toFixed(1)),
    ratio: null,
    of: null,
    target: null,
    note: `a batch takes ${each.toFixed(1)} ms of CPU, longest ${Math.max(...cpuMs).toFixed(0)}; archiving ${((archiveMs * 1000) / runs).toFixed(1)} us a run`,
  };
}

async function storedRow(org: BenchOrg, notes: readonly string[]): Promise<BenchRow> {
  const stored = await org.stored();
  const { sent } = org.saved;
  const each = (bytes: number) => (bytes / sent).toFixed(1);
  const tables = Object.entries(stored.bytes)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 6)
    .map(([table, bytes]) => `${table} ${each(bytes)} in ${stored.rows[table]} rows`);
  const sizes = `${stored.files} files, ${(stored.fileBytes / stored.fileRuns).toFixed(1)} bytes per run; ${each(stored.objectBytes)} in the object (${tables.join(", ")})`;
  return {
    name: `${sent.toLocaleString("en")} runs through the archive`,
    perSecond: stored.files,
    cpuMicros: null,
    ratio: null,
    of: "files",
    target: null,
    note: [sizes, ...notes].join("; "),
  };
}
