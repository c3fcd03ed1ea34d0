/** Formats timestamps and caches the last one, because thousands of responses share the same millisecond. */
export class TimeText {
  readonly #write: (ms: number) => string;
  #ms = Number.NaN;
  #text = "";

  constructor(write: (ms: number) => string = new SecondText().write) {
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

/** Up to the point before the milliseconds. */
const TO_SECONDS = "2000-01-01T00:00:00.".length;

/** ISO 8601 like `toISOString`, which costs more than a whole second's texts that differ in their last digits. */
class SecondText {
  #second = Number.NaN;
  #text = "";

  readonly write = (ms: number): string => {
    const second = Math.floor(ms / 1000);
    const rest = ms - second * 1000;
    if (second !== this.#second) {
      const whole = new Date(ms).toISOString();
      // Years outside of four digits are longer, and fractions of a millisecond are cut off.
      if (whole.length !== TO_SECONDS + 4 || !Number.isInteger(ms)) return whole;
      this.#second = second;
      this.#text = whole.slice(0, TO_SECONDS);
      return whole;
    }
    if (!Number.isInteger(rest)) return new Date(ms).toISOString();
    return `${this.#text}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
  };
}
