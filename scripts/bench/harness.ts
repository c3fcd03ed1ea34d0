import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One request, sent repeatedly. */
export interface Load {
  readonly ports: readonly number[];
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

export interface Sample {
  readonly requests: number;
  readonly perSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly decided: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface BenchRow {
  readonly name: string;
  readonly perSecond: number;
  /** Processor time of the serving process per request, in microseconds. Null if not measured. */
  readonly cpuMicros: number | null;
  /** Relative throughput, compared with the subject named by `of`. */
  readonly ratio: number | null;
  readonly of: string | null;
  readonly target: number | null;
  readonly note: string;
}

/** A subject to measure: a request, the process that answers it, and what else to report about the responses. */
export interface Subject {
  readonly name: string;
  readonly load: Pick<Load, "ports" | "method" | "path" | "headers" | "body"> & {
    readonly connections?: number;
  };
  readonly pid: () => number;
  readonly status: number;
  /** The subject it is compared with. None for a reference. */
  readonly of?: string;
  readonly target?: number;
}

/** Makes docs/performance.md: short rounds, but several, and none discarded. The page says how far they differed. */
export const WRITES = process.argv.includes("--write");
export const QUICK = WRITES || process.argv.includes("--quick");
const SERVER_CORE = "0";
const LOAD_CORE = "1";
const DURATION_MS = QUICK ? 1200 : 4000;
const WARMUP_MS = QUICK ? 400 : 1000;
const ROUNDS = QUICK && !WRITES ? 1 : 3;
const MOST_ROUNDS = QUICK ? ROUNDS : 9;
const DRIFT = 0.05;
const CONNECTIONS = 32;
const TICKS_PER_SECOND = 100;

/** All servers run on one core. The load comes from the other. */
export function pinToServerCore(): void {
  execFileSync("taskset", ["-cp", SERVER_CORE, String(process.pid)], { stdio: "ignore" });
}

/** The most that a reference differed within a round, of all that were measured. */
export let worstDrift = 0;

interface Measured {
  readonly sample: Sample;
  readonly cpuMicros: number;
}

async function measure(subject: Subject): Promise<Measured> {
  const before = cpuSeconds(subject.pid());
  const load: Load = {
    ...subject.load,
    connections: CONNECTIONS,
    warmupMs: WARMUP_MS,
    durationMs: DURATION_MS,
  };
  const sample = await generate(load);
  const cpu = cpuSeconds(subject.pid()) - before;
  const wrong = Object.keys(sample.statuses).filter((status) => status !== String(subject.status));
  if (sample.requests === 0 || wrong.length > 0) {
    throw new Error(`${subject.name} answered ${JSON.stringify(sample.statuses)}`);
  }
  // The warm-up's requests cost as much as the others, so the count is scaled to all of the measured time.
  const requests = (sample.requests * (DURATION_MS + WARMUP_MS)) / DURATION_MS;
  return { sample, cpuMicros: (cpu * 1e6) / requests };
}

export function generate(load: Load): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, "load.ts");
    const child = spawn("taskset", ["-c", LOAD_CORE, process.execPath, script, JSON.stringify(load)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve(JSON.parse(output) as Sample);
      else reject(new Error(`the load generator ended with ${code}`));
    });
  });
}

export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Measures all subjects in rounds, with the first (the reference) again at the end of each. If the machine itself
 * changed speed in a round, so that the reference drifted by more than 5 %, the round is discarded.
 */
export async function compare(subjects: readonly Subject[]): Promise<BenchRow[]> {
  const [reference] = subjects;
  if (reference === undefined) return [];
  const kept: Map<string, Measured>[] = [];
  let drift = 0;
  for (let round = 0; round < MOST_ROUNDS && kept.length < ROUNDS; round += 1) {
    const measured = new Map<string, Measured>();
    for (const subject of subjects) measured.set(subject.name, await measure(subject));
    const first = measured.get(reference.name)?.sample.perSecond ?? 0;
    const again = (await measure(reference)).sample.perSecond;
    drift = Math.abs(again - first) / first;
    worstDrift = Math.max(worstDrift, drift);
    if (drift <= DRIFT || QUICK) kept.push(measured);
    else process.stderr.write(`round ${round + 1}: the reference drifted by ${percent(drift)}, discarded\n`);
  }
  if (kept.length < ROUNDS) {
    throw new Error(`only ${kept.length} of ${MOST_ROUNDS} rounds were stable: the machine is busy`);
  }
  return subjects.map((subject) => row(subject, kept));
}

function row(subject: Subject, rounds: readonly Map<string, Measured>[]): BenchRow {
  const pick = (name: string, of: (measured: Measured) => number): number =>
    median(rounds.flatMap((round) => (round.has(name) ? [of(round.get(name) as Measured)] : [])));
  const perSecond = pick(subject.name, ({ sample }) => sample.perSecond);
  const base = subject.of === undefined ? null : pick(subject.of, ({ sample }) => sample.perSecond);
  const last = rounds.at(-1)?.get(subject.name)?.sample;
  const decided = Object.entries(last?.decided ?? {}).map(([where, count]) => {
    return `${where} ${percent(count / (last?.requests ?? 1))}`;
  });
  const latency = `p50 ${last?.p50Ms.toFixed(1)} ms, p99 ${last?.p99Ms.toFixed(1)} ms`;
  return {
    name: subject.name,
    perSecond: Math.round(perSecond),
    cpuMicros: Math.round(pick(subject.name, ({ cpuMicros }) => cpuMicros)),
    ratio: base === null ? null : Number((perSecond / base).toFixed(3)),
    of: subject.of ?? null,
    target: subject.target ?? null,
    note: [latency, ...decided].join(", "),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
