const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const FIRST_ROOM = 1024;
const BYTES_PER_NAME = 16;
/** Names that somebody chose to share their hash are looked up by their text after so many. */
const MOST_PROBES = 16;
const EMPTY = -1;

/**
 * The meanings of names, found by their bytes: many segments have the same names, and each is decoded when it is seen
 * first. Two names may have the same number.
 */
export class NameCache {
  readonly #numberOf: (name: string) => number;
  /** By a part of the hash, the place of a name. */
  #slots = new Int32Array(FIRST_ROOM * 2).fill(EMPTY);
  /** By place, the hash, where its bytes begin, and its number. */
  #hashes = new Int32Array(FIRST_ROOM);
  #starts = new Int32Array(FIRST_ROOM + 1);
  #numbers = new Int32Array(FIRST_ROOM);
  #bytes = new Uint8Array(FIRST_ROOM * BYTES_PER_NAME);
  #count = 0;
  readonly #others = new Map<string, number>();

  constructor(numberOf: (name: string) => number) {
    this.#numberOf = numberOf;
  }

  /** The number of the name in these bytes. */
  of(bytes: Uint8Array, from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = hash ^ (hash >>> 15), last = probe + MOST_PROBES; probe < last; probe += 1) {
      const place = slots[probe & mask] ?? EMPTY;
      if (place === EMPTY) return this.#add(probe & mask, hash, bytes.subarray(from, to));
      if (this.#hashes[place] === hash && this.#isAt(place, bytes, from, to))
        return this.#numbers[place] ?? 0;
    }
    return this.#other(bytes.subarray(from, to));
  }

  // oxlint-disable-next-line max-params -- called for every name of every segment
  #isAt(place: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[place] ?? 0;
    if ((this.#starts[place + 1] ?? 0) - start !== to - from) return false;
    const known = this.#bytes;
    for (let at = from, there = start; at < to; at += 1, there += 1) {
      if (bytes[at] !== known[there]) return false;
    }
    return true;
  }

  #add(slot: number, hash: number, name: Uint8Array): number {
    const place = this.#count;
    const start = this.#starts[place] ?? 0;
    const number = this.#numberOf(decoder.decode(name));
    while (start + name.length > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array);
    this.#bytes.set(name, start);
    this.#slots[slot] = place;
    this.#hashes[place] = hash;
    this.#starts[place + 1] = start + name.length;
    this.#numbers[place] = number;
    this.#count += 1;
    if (this.#count === this.#hashes.length) this.#grow();
    return number;
  }

  #other(name: Uint8Array): number {
    const text = decoder.decode(name);
    let number = this.#others.get(text);
    if (number === undefined) this.#others.set(text, (number = this.#numberOf(text)));
    return number;
  }

  /** A name that finds no slot among twice as many is looked up by its text from now on. */
  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    const mask = slots.length - 1;
    for (const [place, hash] of this.#hashes.entries()) {
      let probe = hash ^ (hash >>> 15);
      const last = probe + MOST_PROBES;
      while (probe < last && slots[probe & mask] !== EMPTY) probe += 1;
      if (probe < last) slots[probe & mask] = place;
    }
    this.#slots = slots;
    this.#hashes = grown(this.#hashes, Int32Array);
    this.#starts = grown(this.#starts, Int32Array);
    this.#numbers = grown(this.#numbers, Int32Array);
  }
}

function grown<Column extends Int32Array | Uint8Array>(
  column: Column,
  Kind: new (length: number) => Column,
): Column {
  const twice = new Kind(column.length * 2);
  twice.set(column);
  return twice;
}
