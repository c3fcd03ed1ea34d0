/** Writes moments of which many in a row are the same: thousands of answers are given in the same few milliseconds. */
export class IsoTime {
  #ms = Number.NaN;
  #text = "";

  text(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString();
    }
    return this.#text;
  }
}
