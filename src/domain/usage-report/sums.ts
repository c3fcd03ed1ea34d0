import { TOKEN_CLASS_NAMES } from "../../contract/token-classes.ts";

/** What is counted of runs, beside their cost: runs, input and output tokens, and each class of tokens. */
export const COUNTED = ["runs", "input", "output", ...TOKEN_CLASS_NAMES] as const;

/** More are refused: they are kept in memory, and nobody reads so many. */
export const MOST_GROUPS = 50_000;

/** The names of a group, one for each grouping; null: runs without one. */
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
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { names, nanos: 0n, counts: Array<number>(COUNTED.length).fill(0) };
      this.#groups.set(key, group);
    }
    return group;
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
