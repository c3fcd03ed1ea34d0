import { logFailure } from "../../log.ts";

/**
 * A moment after something happened, and not again for a while. An eviction waits until what is timed has been told.
 * Constant in every deployment. Only the Worker's tests, which share its isolate, shorten it.
 */
export const TELLING = { soonMs: 1000, everyMs: 5000 } as const;

/** Tells others how the object stands, in the background. Gauges that could not be sent are sent the next time. */
export class Teller {
  readonly #ctx: Pick<DurableObjectState, "waitUntil">;
  readonly #tell: () => Promise<void>;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isTimed = false;

  constructor(ctx: Pick<DurableObjectState, "waitUntil">, tell: () => Promise<void>) {
    this.#ctx = ctx;
    this.#tell = tell;
  }

  /** Something happened that may have changed what is told. */
  note(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#ctx.waitUntil(this.#tellIn(Math.max(TELLING.soonMs, this.#toldAt + TELLING.everyMs - Date.now())));
  }

  async #tellIn(waitMs: number): Promise<void> {
    await scheduler.wait(waitMs);
    this.#isTimed = false;
    this.#toldAt = Date.now();
    try {
      await this.#tell();
    } catch (error) {
      logFailure("teller", error);
    }
  }
}
