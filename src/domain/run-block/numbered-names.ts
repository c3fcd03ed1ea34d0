/** The names of a column, and by run which it has. No numbers: all runs have the only name. */
export interface NumberedNames {
  readonly names: readonly (string | null)[];
  readonly numbers: Int32Array | null;
}

const NO_NAMES: NumberedNames = { names: [null], numbers: null };
const TOO_SHORT = "a block of runs ends too early";
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads counts one after another, as `ByteReader` does: here it is called for every run. */
class Counts {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[this.at++] ?? 0;
      value += (byte & 127) * unit;
    }
    return value;
  }
}

/** A column as `writeNames` wrote it. */
export function numberedNames(bytes: Uint8Array | undefined, count: number): NumberedNames {
  if (bytes === undefined) return NO_NAMES;
  const counts = new Counts(bytes);
  const names = readDistinct(bytes, counts);
  const isSame = counts.next() === 1;
  const numbers = isSame ? null : new Int32Array(count);
  if (numbers !== null) for (let run = 0; run < count; run += 1) numbers[run] = counts.next();
  if (counts.at > bytes.length) throw new Error(TOO_SHORT);
  return { names: isSame ? names.slice(-1) : names, numbers };
}

/** Decoding all names at once is several times as fast as one by one, where each character is one byte. */
function readDistinct(bytes: Uint8Array, counts: Counts): (string | null)[] {
  const distinct = counts.next();
  const start = counts.at;
  const ends = new Int32Array(distinct * 2);
  for (let at = 0; at < distinct; at += 1) {
    const length = counts.next();
    ends[at * 2] = counts.at - start;
    counts.at += length;
    ends[at * 2 + 1] = counts.at - start;
  }
  if (counts.at > bytes.length) throw new Error(TOO_SHORT);
  const names: (string | null)[] = [null];
  const all = plainText(bytes.subarray(start, counts.at));
  for (let at = 0; at < distinct; at += 1) {
    const [from, to] = [ends[at * 2] ?? 0, ends[at * 2 + 1] ?? 0];
    names.push(all === null ? decoder.decode(bytes.subarray(start + from, start + to)) : all.slice(from, to));
  }
  return names;
}

/** Null where a character has more than one byte. A length of 128 or more is no character either. */
function plainText(bytes: Uint8Array): string | null {
  for (const byte of bytes) if (byte >= 128) return null;
  return decoder.decode(bytes);
}
