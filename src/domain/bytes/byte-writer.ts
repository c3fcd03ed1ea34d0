const encoder = new TextEncoder();
const FIRST_BYTES = 1024;
/** Below this, bitwise operators are exact. */
const SMALL = 2 ** 28;

/** Bytes that grow as they are written. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A copy of what was written. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  /** A view of what was written, valid until more is written. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts over with the same memory. */
  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 to 2 ** 53 - 1, seven bits per byte, lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= SMALL) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Like `count`, but for a bigint of any size from 0. Read by `amount`. */
  amount(value: bigint): void {
    const small = Number(value);
    if (small <= Number.MAX_SAFE_INTEGER) {
      this.count(small);
      return;
    }
    let rest = value;
    while (rest > Number.MAX_SAFE_INTEGER) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.count(Number(rest));
  }

  /** An integer of either sign, up to 2 ** 52. The sign becomes the lowest bit. */
  signed(value: number): void {
    this.count(value < 0 ? value * -2 - 1 : value * 2);
  }

  text(value: string): void {
    this.#reserve(value.length * 3 + 8);
    const start = this.#length;
    if (value.length < 128 && this.#ascii(value, 0, start + 1)) {
      this.#bytes[start] = value.length;
      this.#length = start + 1 + value.length;
      return;
    }
    const encoded = encoder.encode(value);
    this.count(encoded.length);
    this.append(encoded);
  }

  /** The characters of a well-formed text from one on, without their number. */
  characters(value: string, from: number): void {
    this.#reserve((value.length - from) * 3);
    if (this.#ascii(value, from, this.#length)) this.#length += value.length - from;
    else this.append(encoder.encode(value.slice(from)));
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** False if there are other characters too. */
  #ascii(value: string, from: number, start: number): boolean {
    const bytes = this.#bytes;
    for (let at = from; at < value.length; at += 1) {
      const code = value.charCodeAt(at);
      if (code >= 128) return false;
      bytes[start + at - from] = code;
    }
    return true;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
