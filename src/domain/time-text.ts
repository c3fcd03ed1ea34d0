/** Formats timestamps and caches the last one, because thousands of responses share the same millisecond. */
export class TimeText {
  readonly #write: (ms: number) => string;
  #ms = Number.NaN;
  #text = "";

  constructor(write = (ms: number) => new Date(ms).toISOString()) {
    this.#write = write;
  }

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = this.#write(ms);
    }
    return this.#text;
  }
}
