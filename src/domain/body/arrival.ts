/** How long a body may be behind its least rate. */
const SLACK_MS = 5000;
/** 4 KiB a second. */
const LEAST_BYTES_PER_MS = 4.096;

/** When the bytes of a body must have arrived. Time in which nobody reads does not count against its sender. */
export class Arrival {
  #due: number;
  #arrivedAt: number;
  readonly #end: number;

  constructor(now: number, deadlineMs: number) {
    this.#due = now + SLACK_MS;
    this.#arrivedAt = now;
    this.#end = now + deadlineMs;
  }

  /** The time by which so many more bytes must be here, if they are read from now on. A body that is ahead gains no more than the slack. */
  dueAt(now: number, bytes: number): number {
    this.#due = Math.min(this.#due + (now - this.#arrivedAt), now + SLACK_MS);
    this.#arrivedAt = now;
    return Math.min(this.#due + bytes / LEAST_BYTES_PER_MS, this.#end);
  }

  arrived(now: number, bytes: number): void {
    this.#due += bytes / LEAST_BYTES_PER_MS;
    this.#arrivedAt = now;
  }
}
