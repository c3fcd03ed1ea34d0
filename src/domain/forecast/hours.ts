import type { UNUSUAL_KINDS } from "../../contract/lists.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import type { DayNumber, DayTotal } from "./series.ts";

export type SubjectKind = (typeof UNUSUAL_KINDS)[number];

/** An hour as the number of hours since 1970-01-01 UTC. */
export type HourNumber = number;

export type HourTotal = { readonly hour: HourNumber; readonly value: number; readonly runs: number };

/** The spend of a subject in an hour, in dollars, and the number of its runs. The id of the org itself is empty. */
export type HourSpend = readonly [hour: HourNumber, kind: SubjectKind, id: string, usd: number, runs: number];

type Sum = { usd: number; runs: number };

const HOURS_A_DAY = 24;

export const hourOf = (timeMs: number): HourNumber => Math.floor(timeMs / HOUR_MS);
export const dayOfHour = (hour: HourNumber): DayNumber => Math.floor(hour / HOURS_A_DAY);
export const hourOfDay = (hour: HourNumber): number => hour - dayOfHour(hour) * HOURS_A_DAY;
export const firstHourOf = (day: DayNumber): HourNumber => day * HOURS_A_DAY;

/**
 * As many of each kind are kept of an hour: those that spent most. One that is left out spent less than a 31st of what the org
 * did, and only what differs by a tenth of the org's day is unusual.
 */
const MOST_KEPT = 30;

/** The spend of subjects by hour. Of each kind and hour it keeps only those that spent most. */
export class HourSums {
  readonly #sums = new Map<HourNumber, Map<SubjectKind, Map<string, Sum>>>();

  add([hour, kind, id, usd, runs]: HourSpend): void {
    const kinds = this.#sums.get(hour) ?? new Map<SubjectKind, Map<string, Sum>>();
    this.#sums.set(hour, kinds);
    const ids = kinds.get(kind) ?? new Map<string, Sum>();
    kinds.set(kind, ids);
    const sum = ids.get(id) ?? { usd: 0, runs: 0 };
    ids.set(id, { usd: sum.usd + usd, runs: sum.runs + runs });
  }

  get hours(): HourNumber[] {
    return [...this.#sums.keys()];
  }

  /** The rows of one hour, or of all. */
  rows(only?: HourNumber): HourSpend[] {
    const hours = only === undefined ? this.hours : [only];
    return hours.flatMap((hour) =>
      [...(this.#sums.get(hour) ?? [])].flatMap(([kind, ids]) =>
        [...ids]
          .toSorted(([, one], [, other]) => other.usd - one.usd)
          .slice(0, MOST_KEPT)
          .map(([id, { usd, runs }]): HourSpend => [hour, kind, id, usd, runs]),
      ),
    );
  }
}

/** The hours of each subject, in their order. */
export type HoursBySubject = ReadonlyMap<SubjectKind, ReadonlyMap<string, readonly HourTotal[]>>;

export function hoursBySubject(spends: readonly HourSpend[]): HoursBySubject {
  const kinds = new Map<SubjectKind, Map<string, HourTotal[]>>();
  for (const [hour, kind, id, usd, runs] of spends.toSorted(([one], [other]) => one - other)) {
    const ids = kinds.get(kind) ?? new Map<string, HourTotal[]>();
    kinds.set(kind, ids);
    const hours = ids.get(id) ?? [];
    ids.set(id, hours);
    hours.push({ hour, value: Math.max(0, usd), runs });
  }
  return kinds;
}

/** The same with some hours as they are now. */
export function withNewHours(known: HoursBySubject, spends: readonly HourSpend[]): HoursBySubject {
  if (spends.length === 0) return known;
  const changed = new Set(spends.map(([hour]) => hour));
  const first = Math.min(...changed);
  const kinds = new Map(Array.from(known, ([kind, ids]) => [kind, new Map(ids)]));
  for (const ids of kinds.values()) {
    for (const [id, hours] of ids) {
      if ((hours.at(-1)?.hour ?? 0) < first) continue;
      ids.set(
        id,
        hours.filter(({ hour }) => !changed.has(hour)),
      );
    }
  }
  for (const [kind, newer] of hoursBySubject(spends)) {
    const ids = kinds.get(kind) ?? new Map<string, readonly HourTotal[]>();
    kinds.set(kind, ids);
    for (const [id, hours] of newer) {
      const all = [...(ids.get(id) ?? []), ...hours];
      ids.set(
        id,
        all.sort((one, other) => one.hour - other.hour),
      );
    }
  }
  return kinds;
}

export function daysOfHours(hours: readonly HourTotal[]): (DayTotal & { readonly runs: number })[] {
  const days = new Map<DayNumber, { value: number; runs: number }>();
  for (const { hour, value, runs } of hours) {
    const sum = days.get(dayOfHour(hour)) ?? { value: 0, runs: 0 };
    days.set(dayOfHour(hour), { value: sum.value + value, runs: sum.runs + runs });
  }
  return Array.from(days, ([day, sum]) => ({ day, ...sum }));
}
