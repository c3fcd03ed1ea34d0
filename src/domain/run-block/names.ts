import { Filter } from "../id-index/filter.ts";
import { numberOf } from "../id-index/number.ts";
import { Sought } from "../id-index/sought.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { COLUMN_NUMBERS, type NameColumn } from "./record.ts";

/** Names that many runs share: each once, and by run its number, from 1 on. 0 is null. */
interface NumberedRuns {
  readonly names: readonly string[];
  readonly numbers: Uint32Array;
  readonly hasNull: boolean;
}

/** The names of runs in their order. Neighbours mostly have the same. */
export function numberNames(given: readonly (string | null)[]): NumberedRuns {
  const known = new Map<string, number>();
  const numbers = new Uint32Array(given.length);
  let hasNull = false;
  let last: string | null = null;
  let number = 0;
  for (let at = 0; at < given.length; at += 1) {
    const name = given[at] ?? null;
    if (name === null) hasNull = true;
    if (name !== last) {
      number = name === null ? 0 : (known.get(name) ?? known.size + 1);
      if (name !== null && number > known.size) known.set(name, number);
      last = name;
    }
    numbers[at] = number;
  }
  return { names: [...known.keys()], numbers, hasNull };
}

/** If all runs have one name, no numbers are written. */
export function writeNames(writer: ByteWriter, { names, numbers, hasNull }: NumberedRuns): void {
  writer.count(names.length);
  for (const name of names) writer.text(name);
  const isSame = names.length === 1 && !hasNull;
  writer.byte(isSame ? 1 : 0);
  if (!isSame) for (let at = 0; at < numbers.length; at += 1) writer.count(numbers[at] ?? 0);
}

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

  static of(names: readonly (readonly [column: NameColumn, name: string])[]): NameFilter {
    const numbers = Uint32Array.from(names, ([column, name]) => numberOf(keyOf(column, name), null));
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
