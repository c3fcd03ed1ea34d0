import type { Timer } from "../../src/domain/body/timed.ts";

/** Time that passes when a test says so. */
export class ManualTimer implements Timer {
  #now = 0;
  readonly #calls = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const own = () => call();
    this.#calls.set(own, this.#now + ms);
    return () => void this.#calls.delete(own);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Lets so much time pass, and whatever follows from it. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const due = [...this.#calls].filter(([, at]) => at <= end).sort(([, one], [, other]) => one - other);
      const [next] = due;
      if (next === undefined) break;
      this.#calls.delete(next[0]);
      this.#now = Math.max(this.#now, next[1]);
      next[0]();
    }
    this.#now = end;
  }
}
