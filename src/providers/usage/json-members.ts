const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** The longest name or value that is kept. A provider's usage is a few hundred bytes. */
const MOST_BYTES = 65_536;
/** The longest text in a value that is kept whole: types and names are shorter, and what a model wrote is of no use here. */
const MOST_TEXT_BYTES = 64;
/** What is deeper in an answer is left out: it is five deep in the longest of usages. */
const MOST_DEPTH = 5;

/**
 * Reads some members of a JSON object from its bytes as they pass, wherever chunks begin and end. All else is skipped, and so
 * are long texts and deep values in them, so that an answer of any size costs the same memory.
 */
export class JsonMembers {
  readonly #wanted: ReadonlySet<string>;
  readonly #found = new Map<string, unknown>();
  #depth = 0;
  #inText = false;
  /** How many bytes of an escape are still to come. */
  #escapedLeft = 0;
  #isEscapeBegun = false;
  #textBytes = 0;
  #isTextCut = false;
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
    const isEscaped = this.#escapedLeft > 0;
    const isEnd = byte === QUOTE && !isEscaped;
    // Cut only between characters: an escape is kept whole, and so is what UTF-8 takes several bytes for.
    if (!isEscaped && (byte & 0xc0) !== 0x80) this.#isTextCut ||= this.#textBytes >= MOST_TEXT_BYTES;
    this.#textBytes += 1;
    if (isEnd || !this.#isTextCut) this.#keep(byte);
    if (isEnd) this.#inText = false;
    else if (isEscaped)
      this.#escapedLeft = this.#isEscapeBegun && byte === LETTER_U ? 4 : this.#escapedLeft - 1;
    else if (byte === BACKSLASH) this.#escapedLeft = 1;
    this.#isEscapeBegun = !isEscaped && byte === BACKSLASH;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) {
      this.#inText = true;
      this.#isTextCut = false;
      this.#textBytes = 0;
    }
    if (OPENING.has(byte)) this.#depth += 1;
    const isClosing = CLOSING.has(byte);
    if (isClosing) this.#depth -= 1;
    if (isClosing && this.#depth === 0) this.#valueEnds();
    else if (this.#depth === 1 && byte === COMMA) {
      this.#valueEnds();
      this.#kept = [];
    } else if (this.#depth === 1 && byte === COLON && this.#name === null) this.#nameEnds();
    else if (this.#depth === 1 && OPENING.has(byte)) this.#kept = [];
    else if (isClosing && this.#depth === MOST_DEPTH) this.#add(byte);
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth <= MOST_DEPTH || (this.#depth === MOST_DEPTH + 1 && OPENING.has(byte) && !this.#inText))
      this.#add(byte);
  }

  #add(byte: number): void {
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
