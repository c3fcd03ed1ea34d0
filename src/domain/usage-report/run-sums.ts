import { CARRY, type LargeSums } from "../run/segment/added-columns.ts";
import { COUNTED, type GroupRow } from "./sums.ts";
import { cached } from "../cache/cached.ts";

/** Numbers for the names of one grouping. */
export class NameNumbers {
  readonly #numbers = new Map<string | null, number>();
  readonly names: (string | null)[] = [];

  of(name: string | null): number {
    return cached(this.#numbers, name, () => this.names.push(name) - 1);
  }
}

const FIRST_ROOM = 1024;
/** More numbers than the runs of a step can have names. Three of them are one exact number. */
const MOST_NUMBERS = 2 ** 17;
const UNKNOWN = -1;

/** One number for each grouping, as one. */
export function codeOf(code: number, number: number): number {
  if (number >= MOST_NUMBERS) throw new Error("a step of a report has too many names");
  return code * MOST_NUMBERS + number;
}

/** Returns the number of each of so many groupings. */
function numbersIn(code: number, groupings: number): number[] {
  const numbers: number[] = [];
  for (let left = code; numbers.length < groupings; left = Math.floor(left / MOST_NUMBERS)) {
    numbers.push(left % MOST_NUMBERS);
  }
  return numbers.reverse();
}

/** Sums of runs by group, in columns that grow: a group is the place of its sums. */
export class RunSums {
  /** By code. A report with one grouping has none but small ones. */
  #small = new Int32Array(FIRST_ROOM).fill(UNKNOWN);
  readonly #large = new Map<number, number>();
  readonly #codes: number[] = [];
  costs: LargeSums = { low: new Float64Array(FIRST_ROOM), high: new Float64Array(FIRST_ROOM) };
  counts: readonly Float64Array[] = COUNTED.map(() => new Float64Array(FIRST_ROOM));

  groupOf(code: number): number {
    const known = code < MOST_NUMBERS ? this.#small[code] : this.#large.get(code);
    return known === undefined || known === UNKNOWN ? this.#add(code) : known;
  }

  /** Each sum with its names, one for each grouping. */
  rows(groupings: readonly NameNumbers[]): GroupRow[] {
    return this.#codes.map((code, group) => {
      const names = numbersIn(code, groupings.length).map(
        (number, at) => groupings[at]?.names[number] ?? null,
      );
      return [names, this.#nanosOf(group), this.#countsOf(group)];
    });
  }

  #nanosOf(group: number): string {
    const low = this.costs.low[group] ?? 0;
    const high = this.costs.high[group] ?? 0;
    return String(high === 0 ? low : BigInt(high) * BigInt(CARRY) + BigInt(low));
  }

  /** Without zeros at the end. */
  #countsOf(group: number): number[] {
    let { length } = this.counts;
    while (length > 0 && this.counts[length - 1]?.[group] === 0) length -= 1;
    const counts: number[] = [];
    for (let at = 0; at < length; at += 1) counts.push(this.counts[at]?.[group] ?? 0);
    return counts;
  }

  #add(code: number): number {
    const group = this.#codes.push(code) - 1;
    if (code < MOST_NUMBERS) this.#noteSmall(code, group);
    else this.#large.set(code, group);
    if (group >= this.costs.low.length) this.#grow();
    return group;
  }

  #noteSmall(code: number, group: number): void {
    const { length } = this.#small;
    if (code >= length) {
      const grown = new Int32Array(Math.max(length * 2, code + 1)).fill(UNKNOWN);
      grown.set(this.#small);
      this.#small = grown;
    }
    this.#small[code] = group;
  }

  #grow(): void {
    const { low, high } = this.costs;
    this.costs = { low: doubled(low), high: doubled(high) };
    this.counts = this.counts.map(doubled);
  }
}

function doubled(column: Float64Array): Float64Array {
  const grown = new Float64Array(column.length * 2);
  grown.set(column);
  return grown;
}
