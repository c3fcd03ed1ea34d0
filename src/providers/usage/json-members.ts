const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** The longest name or value that is kept. A provider's usage is a few hundred bytes. */
const MOST_BYTES = 65_536;

/**
 * Reads some members of a JSON object from its bytes as they pass, wherever chunks begin and end. All else is skipped, so
 * that an answer of any size costs the same memory.
 */
export class JsonMembers {
  readonly #wanted: ReadonlySet<string>;
  readonly #found = new Map<string, unknown>();
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  /** The member whose value is being read. Null: a name is. */
  #name: string | null = null;
  #kept: number[] | null = null;

  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(wanted);
  }

  get(name: string): unknown {
    return this.#found.get(name);
  }

  push(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#inText) this.#inside(byte);
      else this.#outside(byte);
    }
  }

  #inside(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) this.#inText = true;
    if (OPENING.has(byte)) this.#depth += 1;
    const isClosing = CLOSING.has(byte);
    if (isClosing) this.#depth -= 1;
    if (isClosing && this.#depth === 0) this.#valueEnds();
    else if (this.#depth === 1 && byte === COMMA) {
      this.#valueEnds();
      this.#kept = [];
    } else if (this.#depth === 1 && byte === COLON && this.#name === null) this.#nameEnds();
    else if (this.#depth === 1 && OPENING.has(byte)) this.#kept = [];
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#kept === null) return;
    if (this.#kept.length < MOST_BYTES) this.#kept.push(byte);
    else this.#kept = null;
  }

  #nameEnds(): void {
    const name = this.#parsed();
    this.#name = typeof name === "string" ? name : "";
    this.#kept = this.#wanted.has(this.#name) ? [] : null;
  }

  #valueEnds(): void {
    if (this.#name !== null && this.#kept !== null) this.#found.set(this.#name, this.#parsed());
    this.#name = null;
    this.#kept = null;
  }

  /** Undefined if there is no JSON. */
  #parsed(): unknown {
    if (this.#kept === null) return undefined;
    try {
      return JSON.parse(new TextDecoder().decode(Uint8Array.from(this.#kept))) as unknown;
    } catch {
      return undefined;
    }
  }
}
