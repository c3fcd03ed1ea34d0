import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { RUN_STEPS } from "../../src/org/runs/schema.ts";
import { runSegments } from "../../src/org/runs/segments/segments.ts";
import { type BenchOrg, openBenchOrg } from "./archive-org.ts";
import { noteFiles, SEGMENT_RUNS } from "./archived-files.ts";
import type { BenchRow } from "./bench-row.ts";
import { median } from "./statistics.ts";

/**
 * What an object with many archived runs remembers of them, and how long it takes to wake: the product's own reader over made-up
 * files. Waking is measured in the runtime, memory in an engine that can be told to collect garbage.
 */
const MILLION = 1e6;
const MILLIONS = [10, 100, 230];
const WAKES = 5;

export async function run(): Promise<BenchRow[]> {
  const org = await openBenchOrg();
  const memory = new MemoryBench();
  try {
    const rows: BenchRow[] = [];
    for (const millions of MILLIONS) {
      const wakeMs = await wake(org, millions * MILLION);
      const { woken, read } = memory.measure(millions * MILLION);
      const each = (bytes: number) => (bytes / ((millions * MILLION) / SEGMENT_RUNS)).toFixed(1);
      const note = `waking ${wakeMs.toFixed(0)} ms of CPU; ${(woken / MILLION).toFixed(1)} MB, ${each(woken)} bytes a segment, and ${(read / MILLION).toFixed(1)} MB, ${each(read)} bytes, after all segments were read`;
      const name = `${millions} million archived runs`;
      rows.push({
        name,
        perSecond: null,
        cpuMicros: wakeMs * 1000,
        ratio: null,
        of: null,
        target: null,
        note,
      });
    }
    return rows;
  } finally {
    await org.dispose();
  }
}

/** How much longer an object takes for its first call than for the next. */
async function wake(org: BenchOrg, runs: number): Promise<number> {
  await org.bench(`files?runs=${runs}`);
  const timed = async () => {
    const before = org.cpuMs();
    await org.bench("ranges");
    return org.cpuMs() - before;
  };
  const all: number[] = [];
  for (let round = 0; round < WAKES; round += 1) {
    await timed();
    await org.evict();
    const first = await timed();
    all.push(first - (await timed()));
  }
  return median(all);
}

class MemoryBench {
  readonly #database = new DatabaseSync(":memory:");
  readonly #sql = storageOf(this.#database);
  readonly #collect: () => void;

  constructor() {
    setFlagsFromString("--expose-gc");
    this.#collect = runInNewContext("gc") as () => void;
    for (const step of Object.values(RUN_STEPS)) {
      if (typeof step === "string") this.#database.exec(step);
      else {
        if ("sql" in step) this.#database.exec(step.sql);
        if ("fill" in step) step.fill(this.#sql);
      }
    }
  }

  /** The bytes of an object that has woken, and of one that has read about every segment. */
  measure(runs: number): { woken: number; read: number } {
    noteFiles(this.#sql, runs);
    // Each wrapper is another object, with segments of its own.
    const sql = storageOf(this.#database);
    const before = this.#kept();
    const { list } = runSegments(sql);
    const { length } = list.ranges;
    const woken = this.#kept() - before;
    let count = 0;
    for (const segment of list.forward(() => true)) count += segment.rows;
    const read = this.#kept() - before;
    if (count < runs || list.ranges.length !== length) throw new Error(`${count} of ${runs} runs were found`);
    return { woken, read };
  }

  #kept(): number {
    this.#collect();
    return process.memoryUsage().heapUsed;
  }
}

/** The statements that the reader makes, over SQLite of this process. */
function storageOf(database: DatabaseSync): SqlStorage {
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    if (query.includes(";")) {
      database.exec(query);
      return null;
    }
    const statement = database.prepare(query);
    const rows = statement.all(...bindings);
    return {
      columnNames: statement.columns().map(({ name }) => name),
      raw: () => rows.map((row) => Object.values(row)).values(),
      toArray: () => rows,
      one: () => rows[0],
    };
  };
  return { exec } as unknown as SqlStorage;
}
