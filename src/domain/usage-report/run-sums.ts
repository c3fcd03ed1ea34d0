import { CARRY, type LargeSums } from "../run-block/added-columns.ts";
import { COUNTED, type GroupNames, type GroupSums } from "./sums.ts";

/** Numbers for the names of one grouping. */
export class NameNumbers {
  readonly #numbers = new Map<string | null, number>();
  readonly names: (string | null)[] = [];

  of(name: string | null): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

const FIRST_ROOM = 1024;
/** More numbers than the runs of a step can have names. Three of them are one exact number. */
const MOST_NUMBERS = 2 ** 17;

/** Sums of runs by group, in columns that grow: a group is the place of its sums. */
export class RunSums {
  readonly #groups = new Map<number, number>();
  readonly #numbers: (readonly number[])[] = [];
  costs: LargeSums = { low: new Float64Array(FIRST_ROOM), high: new Float64Array(FIRST_ROOM) };
  counts: readonly Float64Array[] = COUNTED.map(() => new Float64Array(FIRST_ROOM));

  /** The group of a name for each grouping, by their numbers. */
  groupOf(numbers: readonly number[]): number {
    const code = numbers.reduce((sum, number) => sum * MOST_NUMBERS + checked(number), 0);
    let group = this.#groups.get(code);
    if (group === undefined) {
      group = this.#numbers.push(numbers) - 1;
      this.#groups.set(code, group);
      if (group >= this.costs.low.length) this.#grow();
    }
    return group;
  }

  addTo(sums: GroupSums, namesOf: (numbers: readonly number[]) => GroupNames): void {
    const { low, high } = this.costs;
    for (const [group, numbers] of this.#numbers.entries()) {
      const nanos = BigInt(high[group] ?? 0) * BigInt(CARRY) + BigInt(low[group] ?? 0);
      const counts = this.counts.map((column) => column[group] ?? 0);
      sums.add(namesOf(numbers), nanos, counts);
    }
  }

  #grow(): void {
    const { low, high } = this.costs;
    this.costs = { low: doubled(low), high: doubled(high) };
    this.counts = this.counts.map(doubled);
  }
}

function checked(number: number): number {
  if (number >= MOST_NUMBERS) throw new Error("a step of a report has too many names");
  return number;
}

function doubled(column: Float64Array): Float64Array {
  const grown = new Float64Array(column.length * 2);
  grown.set(column);
  return grown;
}
