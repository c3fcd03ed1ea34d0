import type { BenchRow } from "./bench-row.ts";
import { cpuSeconds, generate, type Load, QUICK, type Sample, type Subject } from "./harness.ts";
import { type Measured, measureInRounds } from "./rows-of-rounds.ts";

/**
 * Subjects compared by the processor time that each request takes of the processes that serve it. On one core that is busy
 * with nothing else, it is what bounds the throughput; on a machine that others use too, it is the figure that holds.
 */
const ROUNDS = QUICK ? 1 : 5;
/** Before the first round: until so many requests have had the code compiled, on a busy machine for longer than on another. */
const WARMUP_REQUESTS = QUICK ? 1 : 3000;
const WARMUP_MS = QUICK ? 1000 : 2000;
const MOST_WARMUPS = 10;
/** Before each other round: until traffic is steady again, after others were measured. */
const RAMP_MS = 500;
const DURATION_MS = QUICK ? 1200 : 1500;
const CONNECTIONS = 32;

/** Ratios are of processor time: 0.5 takes twice the time of what it is compared with. */
export async function compare(known: readonly Subject[]): Promise<BenchRow[]> {
  return measureInRounds(known, ROUNDS, measure);
}

async function measure(subject: Subject, round: number): Promise<Measured> {
  const load = { connections: CONNECTIONS, ...subject.load };
  if (round === 0) await warmUp(load);
  else await generate({ ...load, durationMs: RAMP_MS });
  const before = cpuOf(subject);
  const sample = await generate({ ...load, durationMs: DURATION_MS });
  const cpu = cpuOf(subject) - before;
  const wrong = Object.keys(sample.statuses).filter((status) => status !== String(subject.status));
  if (sample.requests === 0 || wrong.length > 0) {
    throw new Error(`answered ${JSON.stringify(sample.statuses)}, not ${subject.status}`);
  }
  const cpuMicros = (cpu * 1e6) / sample.requests;
  return { perSecond: sample.perSecond, cpuMicros, note: noteOf(sample) };
}

async function warmUp(load: Omit<Load, "durationMs">): Promise<void> {
  let served = 0;
  for (let turn = 0; turn < MOST_WARMUPS && served < WARMUP_REQUESTS; turn += 1) {
    served += (await generate({ ...load, durationMs: WARMUP_MS })).requests;
  }
}

function noteOf({ p50Ms, p99Ms, decided, requests }: Sample): string {
  const where = Object.entries(decided).map(
    ([place, n]) => `${place} ${((n / requests) * 100).toFixed(1)} %`,
  );
  return [`p50 ${p50Ms.toFixed(1)} ms`, `p99 ${p99Ms.toFixed(1)} ms`, ...where].join(", ");
}

function cpuOf({ pid, isServedHereToo = false }: Subject): number {
  const { user, system } = process.cpuUsage();
  return cpuSeconds(pid()) + (isServedHereToo ? (user + system) / 1e6 : 0);
}
