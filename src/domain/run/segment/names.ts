import { type ByteReader, decodeText } from "../../bytes/byte-reader.ts";
import type { ByteWriter } from "../../bytes/byte-writer.ts";
import { COLUMN_NUMBERS, type NameColumn } from "./record.ts";

/** A column of names that many runs share: each once, and by run its number, from 1 on. 0 is null. */
export class NamesOfRuns {
  readonly #known = new Map<string, number>();
  readonly #most: number;
  /** Null if all runs have the last number. */
  #numbers: Uint32Array | null = null;
  #last: string | null = null;
  #number = 0;
  #runs = 0;
  /** So many runs have their number. Those after them have the last one. */
  #numbered = 0;

  /** The column has room for at most so many runs. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The name of the next run. Neighbours mostly have the same. */
  add(name: string | null): void {
    if (name !== this.#last) this.#turnTo(name);
    this.#runs += 1;
  }

  get names(): string[] {
    return [...this.#known.keys()];
  }

  /** If all runs have one name, no numbers are written. */
  write(writer: ByteWriter): void {
    writer.count(this.#known.size);
    for (const name of this.#known.keys()) writer.text(name);
    const isSame = this.#numbers === null && this.#number === 1;
    writer.byte(isSame ? 1 : 0);
    if (isSame) return;
    const numbers = this.#numberRest();
    for (let at = 0; at < this.#runs; at += 1) writer.count(numbers[at] ?? 0);
  }

  #turnTo(name: string | null): void {
    if (this.#runs > 0) this.#numberRest();
    this.#last = name;
    this.#number = name === null ? 0 : (this.#known.get(name) ?? this.#known.size + 1);
    if (name !== null && this.#number > this.#known.size) this.#known.set(name, this.#number);
  }

  #numberRest(): Uint32Array {
    const numbers = (this.#numbers ??= new Uint32Array(this.#most));
    for (; this.#numbered < this.#runs; this.#numbered += 1) numbers[this.#numbered] = this.#number;
    return numbers;
  }
}

export function readNames(reader: ByteReader, count: number): (string | null)[] {
  const names: (string | null)[] = [null, ...readDistinctNames(reader)];
  if (reader.byte() === 1) return Array<string | null>(count).fill(names.at(-1) ?? null);
  return Array.from({ length: count }, () => names[reader.count()] ?? null);
}

/** Each name once, those of the oldest runs first. */
export function readDistinctNames(reader: ByteReader): string[] {
  return Array.from({ length: reader.count() }, () => reader.text());
}

/** The name of one run. No other name is decoded. */
export function readName(reader: ByteReader, at: number): string | null {
  const bounds = readBounds(reader);
  const number = reader.byte() === 1 ? bounds.length : numberAt(reader, at);
  const bound = bounds[number - 1];
  return bound === undefined ? null : decodeText(bytesIn(reader, bound));
}

/** The places of runs with a name; null: of those without one. No name is decoded. */
export function findPlaces(reader: ByteReader, count: number, name: string | null): number[] {
  const bounds = readBounds(reader);
  const number = name === null ? 0 : numberOf(name, reader, bounds);
  const places: number[] = [];
  if (number === ABSENT) return places;
  const isSame = reader.byte() === 1;
  for (let place = 0; place < count; place += 1) {
    if ((isSame ? bounds.length : reader.count()) === number) places.push(place);
  }
  return places;
}

const ABSENT = -1;
const encoder = new TextEncoder();

/** Where a name is. */
interface Bound {
  readonly length: number;
  readonly end: number;
}

function readBounds(reader: ByteReader): Bound[] {
  const bounds: Bound[] = [];
  for (let left = reader.count(); left > 0; left -= 1) {
    const length = reader.count();
    bounds.push({ length, end: reader.skip(length) });
  }
  return bounds;
}

function bytesIn(reader: ByteReader, { length, end }: Bound): Uint8Array {
  return reader.between(end - length, end);
}

function numberAt(reader: ByteReader, at: number): number {
  for (let before = 0; before < at; before += 1) reader.skipNumber();
  return reader.count();
}

function numberOf(name: string, reader: ByteReader, bounds: readonly Bound[]): number {
  const sought = encoder.encode(name);
  const at = bounds.findIndex(
    (bound) =>
      bound.length === sought.length && bytesIn(reader, bound).every((byte, index) => byte === sought[index]),
  );
  return at === -1 ? ABSENT : at + 1;
}

/** A name of a column, as one text. */
export function nameKey(column: NameColumn, name: string): string {
  return `${COLUMN_NUMBERS[column]} ${name}`;
}
