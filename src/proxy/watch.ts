/** Cuts off a provider that is silent for too long, or that goes on for too long. */
export class Watch {
  readonly #stop = new AbortController();
  readonly #longestSilenceMs: number;
  readonly #endsAt: number;
  #heardAt = Date.now();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(longestSilenceMs: number, longestAnswerMs: number) {
    this.#longestSilenceMs = longestSilenceMs;
    this.#endsAt = this.#heardAt + longestAnswerMs;
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Returns whether the provider was stopped. */
  get hasStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  noteChunk(): void {
    this.#heardAt = Date.now();
  }

  /** There is nothing left to wait for. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  abort(reason: unknown): void {
    this.end();
    this.#stop.abort(reason);
  }

  #arm(): void {
    const now = Date.now();
    const until = Math.min(this.#heardAt + this.#longestSilenceMs, this.#endsAt);
    if (now >= until) {
      this.abort(new Error("the provider took too long"));
      return;
    }
    this.#timer = setTimeout(() => this.#arm(), until - now);
  }
}
