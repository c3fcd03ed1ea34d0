import type { BenchRow, Compared } from "./bench-row.ts";
import { BENCH_ROWS } from "./options.ts";
import { figureOf, median, pairedRatio } from "./statistics.ts";

/** One subject in one round. */
export interface Measured {
  readonly perSecond: number;
  /** Processor time of the processes that serve it, for each request. */
  readonly cpuMicros: number;
  readonly note: string;
}

/** What a round says of a subject, or why it says nothing. */
type Round = Measured | { readonly failure: string };

/**
 * All subjects in turns, round after round, so that each is measured when the others are. A subject that fails is named with
 * what it said; the others are measured all the same.
 */
export async function measureInRounds<S extends Compared>(
  known: readonly S[],
  rounds: number,
  measure: (subject: S, round: number) => Promise<Measured>,
): Promise<BenchRow[]> {
  const subjects = chosen(known, BENCH_ROWS);
  const measured = new Map<string, Round[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) {
      const one = await measure(subject, round).catch((error: unknown) => ({ failure: said(error) }));
      measured.get(subject.name)?.push(one);
    }
  }
  return subjects.map((subject) => rowOf(subject, measured));
}

/** Those that have a text in their name, and what they are compared with. Null: all. */
export function chosen<S extends Compared>(all: readonly S[], text: string | null): readonly S[] {
  if (text === null) return all;
  const named = all.filter(({ name }) => name.includes(text));
  const others = new Set(named.map(({ of }) => of));
  return all.filter((one) => named.includes(one) || others.has(one.name));
}

function rowOf({ name, of, target }: Compared, measured: ReadonlyMap<string, readonly Round[]>): BenchRow {
  const rounds = measured.get(name) ?? [];
  const good = rounds.flatMap((round) => ("failure" in round ? [] : [round]));
  const failures = rounds.flatMap((round) => ("failure" in round ? [round.failure] : []));
  const cpu = figureOf(good.map(({ cpuMicros }) => cpuMicros));
  const ratio = of === undefined ? null : pairedRatio(cpuOf(measured.get(of)), cpuOf(rounds));
  const isMeasured = good.length > 0;
  const failure = `${failures.length} of ${rounds.length} rounds: ${failures[0]}`;
  return {
    name,
    perSecond: isMeasured ? Math.round(median(good.map(({ perSecond }) => perSecond))) : null,
    cpuMicros: isMeasured ? rounded(cpu.median) : null,
    // One round says nothing about how far rounds differ.
    spread: good.length > 1 ? (ratio ?? cpu).spread : null,
    ratio: ratio === null ? null : Number(ratio.median.toFixed(3)),
    of: of ?? null,
    target: target ?? null,
    note: good.at(-1)?.note ?? "",
    ...(failures.length === 0 ? {} : { failure }),
  };
}

/** A tenth of a microsecond tells runs of a bulk apart, and nothing else. */
function rounded(micros: number): number {
  return micros < 100 ? Number(micros.toFixed(1)) : Math.round(micros);
}

function cpuOf(rounds: readonly Round[] = []): (number | null)[] {
  return rounds.map((round) => ("failure" in round ? null : round.cpuMicros));
}

export function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
