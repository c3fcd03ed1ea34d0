import { Filter } from "../id-index/filter.ts";
import { numberOf } from "../id-index/number.ts";
import { Sought } from "../id-index/sought.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { COLUMN_NUMBERS, type NameColumn } from "./record.ts";

/** Names that many runs share. Each is written once, and each run has the number of its name. 0 is null. */
export function writeNames(writer: ByteWriter, names: readonly (string | null)[]): void {
  const numbers = new Map<string | null, number>([[null, 0]]);
  for (const name of distinctOf(names)) if (name !== null) numbers.set(name, numbers.size);
  const [, ...distinct] = numbers.keys();
  writer.count(distinct.length);
  for (const name of distinct) writer.text(name ?? "");
  const isSame = distinct.length === 1 && !names.includes(null);
  writer.byte(isSame ? 1 : 0);
  if (isSame) return;
  let last: string | null = null;
  let number = 0;
  for (const name of names) {
    if (name !== last) number = numbers.get(name) ?? 0;
    last = name;
    writer.count(number);
  }
}

/** Each name once. Neighbours mostly have the same one. */
export function distinctOf(names: Iterable<string | null>): Set<string | null> {
  const distinct = new Set<string | null>();
  let last: string | null | undefined;
  for (const name of names) {
    if (name === last) continue;
    distinct.add(name);
    last = name;
  }
  return distinct;
}

/** If all runs have one name, no numbers are written. */
export function readNames(reader: ByteReader, count: number): (string | null)[] {
  const names: (string | null)[] = [null];
  for (let left = reader.count(); left > 0; left -= 1) names.push(reader.text());
  if (reader.byte() === 1) return Array<string | null>(count).fill(names.at(-1) ?? null);
  return Array.from({ length: count }, () => names[reader.count()] ?? null);
}

/** Bits of the filter per name: it wrongly reports one in a hundred thousand absent names as present. */
const BITS_PER_NAME = 24;

/** Tells which names a block certainly does not contain. */
export class NameFilter {
  readonly #filter: Filter;
  readonly #words: number;

  private constructor(filter: Filter, words: number) {
    this.#filter = filter;
    this.#words = words;
  }

  /** Null is not a name, so no one searches for it. */
  static of(names: readonly (readonly [column: NameColumn, name: string | null])[]): NameFilter {
    const numbers = Uint32Array.from(
      names.flatMap(([column, name]) => (name === null ? [] : [numberOf(keyOf(column, name), null)])),
    );
    const words = Math.max(1, Math.ceil((numbers.length * BITS_PER_NAME) / 64));
    const filter = new Filter(1, words);
    filter.add(numbers);
    return new NameFilter(filter, words);
  }

  static read(stored: ArrayBuffer): NameFilter {
    const words = stored.byteLength / 8;
    const filter = new Filter(1, words);
    filter.setPart(0, stored.slice(0, words * 4));
    filter.setPart(1, stored.slice(words * 4));
    return new NameFilter(filter, words);
  }

  get stored(): ArrayBuffer {
    const bytes = new Uint8Array(this.#words * 8);
    bytes.set(new Uint8Array(this.#filter.part(0)));
    bytes.set(new Uint8Array(this.#filter.part(1)), this.#words * 4);
    return bytes.buffer;
  }

  mayHave(column: NameColumn, name: string): boolean {
    return this.#filter.among(new Sought([keyOf(column, name)], null)).length > 0;
  }
}

function keyOf(column: NameColumn, name: string): string {
  return `${COLUMN_NUMBERS[column]} ${name}`;
}
