/** The longest event that is read. A longer one is skipped. */
const MOST_CHARACTERS = 1_048_576;

/** The data of server-sent events, read from their bytes as they pass, wherever chunks begin and end. */
export class EventLines {
  readonly #onData: (data: string) => void;
  readonly #decoder = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #length = 0;
  #isTooLong = false;
  #endedWithReturn = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  /** An event that was cut is none. */
  #read(text: string): void {
    let from = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      if (index < from) continue;
      this.#add(text.slice(from, index));
      this.#lineEnds();
      from = index + end.length;
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
      this.#data = [];
      this.#isTooLong = false;
      this.#length = 0;
      return;
    }
    if (line.startsWith("data:")) this.#data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "") return;
    if (this.#data.length > 0) this.#onData(this.#data.join("\n"));
    this.#data = [];
    this.#length = 0;
  }
}
