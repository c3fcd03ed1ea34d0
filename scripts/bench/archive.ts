import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import type { ListQuery } from "../../src/contract/list.ts";
import { encodeFrame } from "../../src/domain/run-block/frame.ts";
import { ArchiveFile } from "../../src/domain/runs-parquet/archive-file.ts";
import { bundleWorker } from "../bundle.ts";
import { HOST } from "../ports.ts";
import { readWorkerConfig } from "../worker-config.ts";
import { idOf, runAt, startedAtOf } from "./archive-runs.ts";
import { type BenchRow, cpuSeconds, QUICK } from "./harness.ts";
import { workerds } from "./reference.ts";

/**
 * Ten million runs through the archive: lists and duplicates must be right, and the row says what it costs. Processor time is
 * that of the runtime, because the machine may be shared.
 */
const RUNS = Number(process.env["BENCH_RUNS"] ?? (QUICK ? 50_000 : 10_000_000));
const AT_ONCE = 50_000;
const BATCH = 1000;
const WAKES = 10;
const FILE_RUNS = 2000;

interface Stats {
  readonly runs: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly objectBytes: number;
  readonly cost: string;
}

async function start(folder: string) {
  const config = readWorkerConfig();
  const before = new Set(workerds());
  delete process.env["MINIFLARE_WORKERD_PATH"];
  const contents = await bundleWorker("scripts/bench/archive-worker.ts");
  const miniflare = new Miniflare({
    host: HOST,
    port: 0,
    telemetry: { enabled: false },
    defaultPersistRoot: folder,
    name: "archive",
    modules: [{ type: "ESModule", path: "archive.mjs", contents }],
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    durableObjects: { STORE: { className: "Store", useSQLite: true } },
    r2Buckets: { ARCHIVE: "archive" },
  });
  const url = await miniflare.ready;
  const pid = workerds().find((id) => !before.has(id)) ?? 0;
  const ask = async <T>(method: string, ...args: unknown[]): Promise<T> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ method, args }) });
    if (!response.ok) throw new Error(`${method}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return { miniflare, pid, ask };
}

type Started = Awaited<ReturnType<typeof start>>;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-archive-"));
  const started = await start(folder);
  try {
    const filled = await fill(started);
    const checked = await check(started);
    const wakeMs = await wake(started);
    const pause = longestPause();
    return [
      { ...filled, note: `${filled.note}; ${checked}; waking ${wakeMs.toFixed(0)} ms of CPU; ${pause}` },
    ];
  } finally {
    await started.miniflare.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill({ ask, pid }: Started): Promise<BenchRow> {
  const [from, cpuBefore] = [performance.now(), cpuSeconds(pid)];
  for (let at = 0; at < RUNS; at += AT_ONCE) {
    await ask("fill", at, AT_ONCE);
    if (at % 1_000_000 === 0) console.error(`archived ${(at + AT_ONCE).toLocaleString("en")} runs`);
  }
  const seconds = (performance.now() - from) / 1000;
  const stats = await ask<Stats>("stats");
  if (stats.runs !== RUNS) throw new Error(`${stats.runs} runs are stored`);
  let cost = 0n;
  for (let at = 0; at < RUNS; at += 1) cost += runAt(at).cost;
  if (stats.cost !== String(cost)) throw new Error(`files add up to ${stats.cost} instead of ${cost}`);
  const each = (bytes: number) => (bytes / RUNS).toFixed(1);
  return {
    name: `store and archive ${RUNS.toLocaleString("en")} runs`,
    perSecond: Math.round(RUNS / seconds),
    cpuMicros: Number((((cpuSeconds(pid) - cpuBefore) * 1e6) / RUNS).toFixed(1)),
    ratio: null,
    of: null,
    target: null,
    note: `${stats.files} files of ${each(stats.fileBytes)} bytes per run; ${each(stats.objectBytes)} stay in the object`,
  };
}

/** Pages from both ends and the middle, known ids and unknown ones. */
async function check({ ask }: Started): Promise<string> {
  const page = (descending: boolean, from: number): Promise<{ ids: string[]; reads: number }> => {
    const filters = descending ? { to: String(startedAtOf(from + 1)) } : { from: String(startedAtOf(from)) };
    const query: ListQuery = {
      sort: { field: "started_at", descending },
      filters,
      limit: 200,
      after: null,
      scope: "",
    };
    return ask("page", query);
  };
  let reads = 0;
  for (const first of [0, RUNS / 2, RUNS - 200]) {
    const found = await page(false, first);
    expectSame(
      found.ids,
      Array.from({ length: 200 }, (_, at) => idOf(first + at)),
    );
    const back = await page(true, first + 199);
    expectSame(
      back.ids,
      Array.from({ length: 200 }, (_, at) => idOf(first + 199 - at)),
    );
    reads = Math.max(reads, found.reads, back.reads);
  }
  const known = Array.from({ length: BATCH }, (_, at) => Math.floor((at * RUNS) / BATCH));
  const duplicates = await ask<{ found: number; reads: number }>("find", known);
  if (duplicates.found !== BATCH) throw new Error(`${duplicates.found} of ${BATCH} duplicates were found`);
  let unknownReads = 0;
  for (let round = 0; round < 10; round += 1) {
    const unknown = known.map((number) => RUNS + round * RUNS + number);
    const strangers = await ask<{ found: number; reads: number }>("find", unknown);
    if (strangers.found !== 0) throw new Error(`${strangers.found} unknown ids were found`);
    unknownReads += strangers.reads;
  }
  return `lists and duplicates right, a page takes ${reads} reads, 1,000 scattered duplicates ${duplicates.reads}, 10,000 new ids ${unknownReads}`;
}

function expectSame(found: readonly string[], expected: readonly string[]): void {
  if (found.join() !== expected.join()) throw new Error(`a page begins with ${found[0]}, not ${expected[0]}`);
}

/** Processor time from a sleeping object to its first answer, which looks up an id. */
async function wake({ miniflare, pid, ask }: Started): Promise<number> {
  const asked = async () => {
    const before = cpuSeconds(pid);
    await ask("find", [RUNS * 2]);
    return cpuSeconds(pid) - before;
  };
  let [woken, awake] = [0, 0];
  for (let round = 0; round < WAKES; round += 1) {
    await miniflare.unsafeEvictDurableObject("archive", "Store", { name: "one" });
    woken += await asked();
    awake += await asked();
  }
  return ((woken - awake) * 1000) / WAKES;
}

/** The steps of building a file, each of which others wait for. The code is the runtime's, measured in Node. */
function longestPause(): string {
  const steps: number[] = [];
  const FILES = QUICK ? 6 : 20;
  for (let file = 0; file < FILES; file += 1) {
    const times = stepsOf(file * FILE_RUNS);
    // The first ones are compiled as they run.
    if (file >= FILES / 4) steps.push(...times);
  }
  steps.sort((one, other) => one - other);
  const at = (share: number) => (steps[Math.floor((steps.length - 1) * share)] ?? 0).toFixed(1);
  return `archive steps take ${at(0.5)} ms of CPU, 99 % at most ${at(0.99)}, longest ${at(1)}`;
}

function stepsOf(from: number): number[] {
  const blocks = Array.from({ length: FILE_RUNS / BATCH }, (_, block) =>
    encodeFrame(Array.from({ length: BATCH }, (__, at) => runAt(from + block * BATCH + at))),
  );
  const times: number[] = [];
  const timed = <T>(step: () => T): T => {
    const before = process.cpuUsage();
    const made = step();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    return made;
  };
  const file = new ArchiveFile();
  for (const block of blocks) timed(() => file.add(block));
  const parts = file.parts(from + 1);
  while (timed(() => parts.next()).done !== true) continue;
  return times;
}
