/** Room for the numbers of one segment after another: a new array for each of many segments takes as long as filling it. */
export class ScratchArray {
  #room = new Int32Array(1024);
  #last = this.#room;

  /** Returns an array of this length, with any content. The array before must not be needed any more. */
  take(length: number): Int32Array {
    if (length === this.#last.length) return this.#last;
    if (length > this.#room.length) this.#room = new Int32Array(length * 2);
    this.#last = this.#room.subarray(0, length);
    return this.#last;
  }
}
