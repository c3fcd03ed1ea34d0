import type { RunColumns } from "../../../domain/run/segment/columns.ts";
import type { RowRange } from "../../../storage/segments/metadata.ts";

/** Times are numbers, costs are bigints. One order has keys of one type. */
export type Key = number | bigint;

export interface FoundRun {
  readonly key: Key;
  readonly id: string;
  readonly columns: RunSource;
  readonly at: number;
}

/** Where a run that was found is read, if it is on the page. */
type RunSource = Pick<RunColumns, "rowAlone" | "charactersOf">;

/** A run without the rest of its segment. */
export function readAlone({ columns, at }: Pick<FoundRun, "columns" | "at">): RunSource {
  const [run, characters] = [columns.rowAlone(at), columns.charactersOf(at)];
  return { rowAlone: () => run, charactersOf: () => characters };
}

/** How a list is sorted: by a key, then by id. A run that comes earlier in the list is less. */
export class PageOrder {
  readonly #column: "startedAt" | "cost";
  readonly #sign: 1 | -1;

  constructor(column: "startedAt" | "cost", descending: boolean) {
    this.#column = column;
    this.#sign = descending ? -1 : 1;
  }

  compareKeys(one: Key, other: Key): number {
    if (one === other) return 0;
    return one < other ? -this.#sign : this.#sign;
  }

  compare(one: Pick<FoundRun, "key" | "id">, other: Pick<FoundRun, "key" | "id">): number {
    const byKey = this.compareKeys(one.key, other.key);
    if (byKey !== 0 || one.id === other.id) return byKey;
    return one.id < other.id ? -this.#sign : this.#sign;
  }

  keysOf(columns: RunColumns): readonly Key[] {
    return this.#column === "cost" ? columns.costs : columns.moments("startedAt");
  }

  bestOf(range: RowRange): Key {
    return this.#sign === -1 ? this.#most(range) : this.#least(range);
  }

  worstOf(range: RowRange): Key {
    return this.#sign === -1 ? this.#least(range) : this.#most(range);
  }

  #least(range: RowRange): Key {
    return this.#column === "cost" ? range.costMin : range.startedMin;
  }

  #most(range: RowRange): Key {
    return this.#column === "cost" ? range.costMax : range.startedMax;
  }

  /** As in a cursor. A cost may exceed the precision of a double, so it is text. */
  written(key: Key): string | number {
    return typeof key === "bigint" ? String(key) : key;
  }

  /** From a cursor that may be made up: accepts any value. */
  read(value: string | number): Key {
    if (this.#column === "startedAt") return Number(value);
    return /^\d{1,30}$/.test(String(value)) ? BigInt(value) : 0n;
  }
}

/** The first runs of those that were found, in order, up to a maximum. */
export class TopRuns {
  readonly #order: PageOrder;
  readonly #most: number;
  readonly #found: FoundRun[] = [];

  constructor(order: PageOrder, most: number) {
    this.#order = order;
    this.#most = most;
  }

  get found(): readonly FoundRun[] {
    return this.#found;
  }

  /** Returns whether a run with this key could still be among them. */
  mayTake(key: Key): boolean {
    const last = this.#found.at(-1);
    if (last === undefined || this.#found.length < this.#most) return true;
    return this.#order.compareKeys(key, last.key) <= 0;
  }

  take(run: FoundRun): void {
    let [low, high] = [0, this.#found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = this.#found[middle];
      if (there !== undefined && this.#order.compare(there, run) < 0) low = middle + 1;
      else high = middle;
    }
    this.#found.splice(low, 0, run);
    if (this.#found.length > this.#most) this.#found.pop();
  }
}
