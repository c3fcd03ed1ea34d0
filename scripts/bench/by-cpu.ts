import { type BenchRow, cpuSeconds, generate, median, QUICK, type Subject } from "./harness.ts";
import { BENCH_ROWS } from "./options.ts";

/**
 * Subjects compared by the processor time that each request takes of all processes that serve it, this one included. On one
 * core that is busy with nothing else, it is what bounds the throughput; on a machine that others use too, it is the figure
 * that holds. Each has a run to warm up, and subjects are measured in turns.
 */
const ROUNDS = QUICK ? 1 : 3;
const WARMUP_MS = QUICK ? 3000 : 6000;
const DURATION_MS = QUICK ? 5000 : 10_000;
const CONNECTIONS = 32;

interface Measured {
  readonly micros: number;
  readonly perSecond: number;
}

async function measure(subject: Subject): Promise<Measured> {
  const load = { connections: CONNECTIONS, ...subject.load, warmupMs: 0 };
  await generate({ ...load, durationMs: WARMUP_MS });
  const before = cpuOf(subject);
  const { requests, perSecond, statuses } = await generate({ ...load, durationMs: DURATION_MS });
  const cpu = cpuOf(subject) - before;
  const wrong = Object.keys(statuses).filter((status) => status !== String(subject.status));
  if (requests === 0 || wrong.length > 0)
    throw new Error(`${subject.name} answered ${JSON.stringify(statuses)}`);
  return { micros: (cpu * 1e6) / requests, perSecond };
}

function cpuOf({ pid }: Subject): number {
  const { user, system } = process.cpuUsage();
  return cpuSeconds(pid()) + (user + system) / 1e6;
}

export async function compareByCpu(known: readonly Subject[]): Promise<BenchRow[]> {
  const subjects = chosen(known);
  const measured = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) measured.get(subject.name)?.push(await measure(subject));
  }
  const pick = (name: string, of: (one: Measured) => number) => median((measured.get(name) ?? []).map(of));
  return subjects.map(({ name, of, target }) => {
    const micros = pick(name, (one) => one.micros);
    const ratio = of === undefined ? null : pick(of, (one) => one.micros) / micros;
    const all = (measured.get(name) ?? []).map((one) => Math.round(one.micros)).join(", ");
    return {
      name,
      perSecond: Math.round(pick(name, (one) => one.perSecond)),
      cpuMicros: Math.round(micros),
      ratio: ratio === null ? null : Number(ratio.toFixed(3)),
      of: of ?? null,
      target: target ?? null,
      note: `by CPU time; each round: ${all} us`,
    };
  });
}

/** Those that were asked for by name, and what they are compared with. */
function chosen(all: readonly Subject[]): readonly Subject[] {
  const text = BENCH_ROWS;
  if (text === null) return all;
  const named = all.filter(({ name }) => name.includes(text));
  const others = new Set(named.map(({ of }) => of));
  return all.filter((one) => named.includes(one) || others.has(one.name));
}
