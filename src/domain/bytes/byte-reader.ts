const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Reads what a `ByteWriter` wrote. Reading past the end throws, so truncated data is never accepted as complete. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new Error("stored data ends too early");
    this.#at += 1;
    return value;
  }

  count(): number {
    let byte = this.byte();
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = this.byte();
      value += (byte & 127) * unit;
    }
    return value;
  }

  amount(): bigint {
    let unit = 1;
    let value = 0;
    for (let byte = 128; byte >= 128; unit *= 128) {
      if (unit > 2 ** 42) return BigInt(value) + this.#large(BigInt(unit));
      byte = this.byte();
      value += (byte & 127) * unit;
    }
    return BigInt(value);
  }

  #large(from: bigint): bigint {
    let value = 0n;
    for (let byte = 128, unit = from; byte >= 128; unit *= 128n) {
      byte = this.byte();
      value += BigInt(byte & 127) * unit;
    }
    return value;
  }

  signed(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : (value + 1) / -2;
  }

  /** Passes over a count, an amount or a signed number. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  text(): string {
    return decodeText(this.part(this.count()));
  }

  /** A view of the next bytes. */
  part(length: number): Uint8Array {
    return this.between(this.#at, this.skip(length));
  }

  /** Passes over the next bytes. Returns where they end. */
  skip(length: number): number {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error("stored data ends too early");
    this.#at = end;
    return end;
  }

  /** A view of bytes that were passed over. */
  between(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}
