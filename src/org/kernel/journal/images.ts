import type { Row } from "./shape.ts";

/** A row as it is, or, deleted, as it was. */
export interface Image {
  readonly row: Row;
  readonly isDeleted: boolean;
}

/** Rows of one table, by name. */
class TableImages extends Map<string, Image> {
  /** Of rows that have a tag. Some of them were taken back. */
  readonly namesByTag = new Map<number, string[]>();
}

interface Change {
  readonly table: string;
  readonly images: TableImages;
  readonly name: string;
  readonly before: Image | undefined;
}

/** The rows that are not in their tables yet, by table and name. What a transaction changed can be taken back. */
export class Images {
  #tables = new Map<string, TableImages>();
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

  /** The rows with each of these tags that are not deleted, in the order in which they came. */
  tagged(table: string, tags: Iterable<number>): Row[] {
    const rows: Row[] = [];
    const images = this.#tables.get(table);
    if (images === undefined) return rows;
    for (const tag of tags) {
      for (const name of images.namesByTag.get(tag) ?? []) {
        const image = images.get(name);
        if (image?.isDeleted === false) rows.push(image.row);
      }
    }
    return rows;
  }

  /** A row keeps the tag that it came with. */
  set(table: string, name: string, image: Image, tagOf?: (row: Row) => number): void {
    let images = this.#tables.get(table);
    if (images === undefined) this.#tables.set(table, (images = new TableImages()));
    const before = images.get(name);
    this.#changes.push({ table, images, name, before });
    images.set(name, image);
    if (tagOf === undefined || before !== undefined) return;
    const tag = tagOf(image.row);
    const names = images.namesByTag.get(tag);
    if (names === undefined) images.namesByTag.set(tag, [name]);
    else if (!names.includes(name)) names.push(name);
  }

  /** They are in their tables now, but for those of tables that stay. */
  clear(stays: (table: string) => boolean = () => false): void {
    const before = this.#tables;
    this.#changes.push(() => {
      this.#tables = before;
    });
    this.#tables = new Map([...before].filter(([table]) => stays(table)));
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
        const { images, name, before } = change;
        if (before === undefined) images.delete(name);
        else images.set(name, before);
      }
    }
  }

  /** The tables and names that were changed since the last time, each once. What is there now stays. */
  takeChanged(): Map<string, Set<string>> {
    const changed = new Map<string, Set<string>>();
    for (const change of this.#changes) {
      // What came before a fold is in the tables.
      if (typeof change === "function" || this.#tables.get(change.table) !== change.images) continue;
      const names = changed.get(change.table);
      if (names === undefined) changed.set(change.table, new Set([change.name]));
      else names.add(change.name);
    }
    return changed;
  }

  keep(): void {
    this.#changes.length = 0;
  }
}
