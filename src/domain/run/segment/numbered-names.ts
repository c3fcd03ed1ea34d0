import type { NameCache } from "./name-cache.ts";
import { ScratchArray } from "./scratch-array.ts";

const TOO_SHORT = "stored data ends too early";

/** The names of a column by what they mean, and by run which it has. */
export interface NumberedNames {
  /** The number of no name, then of each name that the column has. */
  readonly shared: Int32Array;
  /** By run, a place in `shared`. Null if all runs have the only one. */
  readonly places: Int32Array | null;
}

/** Reads a column of one row group after another, as `NamesOfRuns` wrote it. */
export class NameReader {
  readonly #known: NameCache;
  readonly #absent: number;
  readonly #shared = new ScratchArray();
  readonly #places = new ScratchArray();
  #at = 0;

  /** `absent` is the number of no name. */
  constructor(known: NameCache, absent: number) {
    this.#known = known;
    this.#absent = absent;
  }

  /** Good until the next column is read. */
  read(bytes: Uint8Array | undefined, count: number): NumberedNames {
    if (bytes === undefined) return { shared: this.#only(this.#absent), places: null };
    this.#at = 0;
    const shared = this.#readNames(bytes);
    const isSame = bytes[this.#at] === 1;
    if (isSame) return { shared: this.#only(shared.at(-1) ?? this.#absent), places: null };
    return { shared, places: readPlaces(bytes, this.#at + 1, this.#places.take(count)) };
  }

  #only(number: number): Int32Array {
    const shared = this.#shared.take(1);
    shared[0] = number;
    return shared;
  }

  #readNames(bytes: Uint8Array): Int32Array {
    const distinct = this.#count(bytes);
    if (distinct > bytes.length) throw new Error(TOO_SHORT);
    const shared = this.#shared.take(distinct + 1);
    shared[0] = this.#absent;
    for (let place = 1; place <= distinct; place += 1) {
      const length = this.#count(bytes);
      const from = this.#at;
      this.#at = from + length;
      if (this.#at > bytes.length) throw new Error(TOO_SHORT);
      shared[place] = this.#known.of(bytes, from, this.#at);
    }
    return shared;
  }

  #count(bytes: Uint8Array): number {
    let byte = bytes[this.#at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[this.#at++] ?? 0;
      value += (byte & 127) * unit;
    }
    return value;
  }
}

/** Decoded here and not by `ByteReader`, because there is one for every run. */
function readPlaces(bytes: Uint8Array, from: number, places: Int32Array): Int32Array {
  let at = from;
  for (let run = 0; run < places.length; run += 1) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
    }
    places[run] = value;
  }
  if (at > bytes.length) throw new Error(TOO_SHORT);
  return places;
}
