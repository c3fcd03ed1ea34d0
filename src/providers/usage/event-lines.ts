/** The longest event that is read. */
const MOST_CHARACTERS = 1_048_576;

const LINE_END = /[\r\n]/g;
const AS_IT_IS = { fatal: false, ignoreBOM: true };
/** For bytes that end between two characters, and begin there as well. */
const wholeDecoder = new TextDecoder("utf-8", AS_IT_IS);
const BYTE_ORDER_MARK = "\uFEFF";

/** The data of server-sent events, read from their bytes as they pass, wherever chunks begin and end. */
export class EventLines {
  /** Null if an event was too long to be read. */
  readonly #onData: (data: string | null) => void;
  #decoder: TextDecoder | null = null;
  /** True if the last chunk may have ended within a character. */
  #isWithin = false;
  #isBegun = false;
  #line = "";
  /** Null if the event has none yet. */
  #data: string | null = null;
  #length = 0;
  #isTooLong = false;
  #endedWithReturn = false;

  constructor(onData: (data: string | null) => void) {
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoded(chunk);
    if (text === "") return;
    this.#read(!this.#isBegun && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    this.#isBegun = true;
  }

  /** A decoder of one's own costs more than most streams, and only characters that are cut need it. */
  #decoded(chunk: Uint8Array): string {
    const wasWithin = this.#isWithin;
    this.#isWithin = (chunk.at(-1) ?? (wasWithin ? 0x80 : 0)) >= 0x80;
    if (!wasWithin && !this.#isWithin) return wholeDecoder.decode(chunk);
    this.#decoder ??= new TextDecoder("utf-8", AS_IT_IS);
    return this.#decoder.decode(chunk, { stream: true });
  }

  /** An event that was cut is none. */
  #read(text: string): void {
    let from = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    const hasReturns = text.includes("\r");
    for (;;) {
      const end = hasReturns ? lineEnd(text, from) : text.indexOf("\n", from);
      if (end < 0) break;
      this.#add(text.slice(from, end));
      this.#lineEnds();
      from = end + (hasReturns && text.startsWith("\r\n", end) ? 2 : 1);
    }
    this.#add(text.slice(from));
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length > MOST_CHARACTERS) this.#isTooLong = true;
    if (this.#isTooLong) this.#line = "";
    else this.#line += part;
  }

  #lineEnds(): void {
    const line = this.#line;
    this.#line = "";
    if (this.#isTooLong) {
      // The rest of the event is skipped with the line: it has no meaning without it.
      this.#onData(null);
      this.#data = null;
      this.#isTooLong = false;
      this.#length = 0;
      return;
    }
    if (line === "") {
      if (this.#data !== null) this.#onData(this.#data);
      this.#data = null;
      this.#length = 0;
    } else if (line.startsWith("data:")) {
      const data = line.slice(line[5] === " " ? 6 : 5);
      this.#data = this.#data === null ? data : `${this.#data}\n${data}`;
    }
  }
}

function lineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(text)?.index ?? -1;
}
