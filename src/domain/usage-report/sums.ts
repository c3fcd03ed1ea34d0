import type { TokenClass } from "../../contract/token-classes.ts";
import { cached } from "../cache/cached.ts";

/**
 * The counts of runs, beside their cost: runs, input and output tokens, each class of tokens, and what was saved, in
 * two parts. Sums are stored in this order, so it only grows at the end.
 */
export const COUNTED = [
  "runs",
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "audio_input",
  "image_input",
  "reasoning",
  "audio_output",
  "image_output",
  "saved_low",
  "saved_high",
] as const satisfies readonly ("runs" | "input" | "output" | TokenClass | keyof SavedParts)[];

/** Where each is. */
export const COUNT_AT: ReadonlyMap<string, number> = new Map(COUNTED.map((name, at) => [name, at]));

/** Nano-dollars in two counts, so that sums of any number of runs are exact as numbers. */
export interface SavedParts {
  readonly saved_low: number;
  readonly saved_high: number;
}

const LOW_BITS = 20n;
const LOW = 2 ** Number(LOW_BITS);
/** So many digits are always exact as a number. */
const MOST_DIGITS = 15;

/** Of an amount as it is stored: its digits. */
export function savedParts(nanos: string): SavedParts {
  if (nanos.length <= MOST_DIGITS) {
    const saved_low = Number(nanos) % LOW;
    return { saved_low, saved_high: (Number(nanos) - saved_low) / LOW };
  }
  const large = BigInt(nanos);
  return {
    saved_low: Number(BigInt.asUintN(Number(LOW_BITS), large)),
    saved_high: Number(large >> LOW_BITS),
  };
}

/** The nano-dollars of parts that were added up. */
export function sumSavings(counts: readonly number[]): bigint {
  const at = (name: keyof SavedParts) => BigInt(counts[COUNT_AT.get(name) ?? -1] ?? 0);
  return (at("saved_high") << LOW_BITS) + at("saved_low");
}

/** More are refused: they are kept in memory, and nobody reads so many. */
export const MOST_GROUPS = 50_000;

/** The names of a group, one for each grouping; null means runs without one. */
export type GroupNames = readonly (string | null)[];

export interface Group {
  readonly names: GroupNames;
  nanos: bigint;
  readonly counts: number[];
}

/** A group as it is sent. */
export type GroupRow = readonly [names: GroupNames, nanos: string, counts: readonly number[]];

export class GroupSums {
  readonly #groups = new Map<string, Group>();

  get isTooMany(): boolean {
    return this.#groups.size > MOST_GROUPS;
  }

  get groups(): Iterable<Group> {
    return this.#groups.values();
  }

  of(names: GroupNames): Group {
    const key = keyOf(names);
    const none = () => ({ names, nanos: 0n, counts: Array<number>(COUNTED.length).fill(0) });
    return cached(this.#groups, key, none);
  }

  add(names: GroupNames, nanos: bigint, counts: readonly number[]): void {
    const group = this.of(names);
    group.nanos += nanos;
    for (let at = 0; at < counts.length; at += 1)
      group.counts[at] = (group.counts[at] ?? 0) + (counts[at] ?? 0);
  }

  rows(): GroupRow[] {
    return Array.from(this.#groups.values(), ({ names, nanos, counts }) => [
      names,
      String(nanos),
      counts.slice(0, counts.findLastIndex((count) => count !== 0) + 1),
    ]);
  }
}

/** No name is empty. */
function keyOf(names: GroupNames): string {
  return names.length === 1 ? (names[0] ?? "") : JSON.stringify(names);
}
