import type { Row } from "./shape.ts";

/** A row as it is, or, deleted, as it was. */
export interface Image {
  readonly row: Row;
  readonly isDeleted: boolean;
}

type Change = readonly [images: Map<string, Image>, name: string, before: Image | undefined];

/** The rows that are not in their tables yet, by table and name. What a transaction changed can be taken back. */
export class Images {
  #tables = new Map<string, Map<string, Image>>();
  readonly #changes: (Change | (() => void))[] = [];

  get(table: string, name: string): Image | undefined {
    return this.#tables.get(table)?.get(name);
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  *[Symbol.iterator](): Generator<readonly [table: string, images: Iterable<Image>]> {
    for (const [table, images] of this.#tables) yield [table, images.values()];
  }

  of(table: string): Iterable<Image> {
    return this.#tables.get(table)?.values() ?? [];
  }

  set(table: string, name: string, image: Image): void {
    let images = this.#tables.get(table);
    if (images === undefined) this.#tables.set(table, (images = new Map()));
    this.#changes.push([images, name, images.get(name)]);
    images.set(name, image);
  }

  /** They are in their tables now. */
  clear(): void {
    const before = this.#tables;
    this.#changes.push(() => {
      this.#tables = before;
    });
    this.#tables = new Map();
  }

  /** What to call if the changes since a mark are taken back. */
  note(undo: () => void): void {
    this.#changes.push(undo);
  }

  /** How many changes there are to take back. */
  get mark(): number {
    return this.#changes.length;
  }

  /** Those since a mark are as they were. */
  takeBack(mark: number): void {
    while (this.#changes.length > mark) {
      const change = this.#changes.pop();
      if (typeof change === "function") change();
      else if (change !== undefined) {
        const [images, name, before] = change;
        if (before === undefined) images.delete(name);
        else images.set(name, before);
      }
    }
  }

  /** The tables and names that were changed since the last time, each once. What is there now stays. */
  takeChanged(): Map<string, Set<string>> {
    const changed = new Map<string, Set<string>>();
    const tables = new Map(Array.from(this.#tables, ([table, images]) => [images, table]));
    for (const change of this.#changes) {
      if (typeof change === "function") continue;
      const table = tables.get(change[0]);
      if (table === undefined) continue;
      const names = changed.get(table);
      if (names === undefined) changed.set(table, new Set([change[1]]));
      else names.add(change[1]);
    }
    return changed;
  }

  keep(): void {
    this.#changes.length = 0;
  }
}
