import { logFailure } from "../../log.ts";

/** A moment after something happened, and not again for a while. */
interface Pace {
  readonly soonMs: number;
  readonly everyMs: number;
}

/** Tells others how the object stands, in the background. What fails is told the next time. */
export class Teller {
  readonly #ctx: Pick<DurableObjectState, "waitUntil">;
  readonly #pace: Pace;
  readonly #tell: () => Promise<void>;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isTimed = false;

  constructor(ctx: Pick<DurableObjectState, "waitUntil">, pace: Pace, tell: () => Promise<void>) {
    this.#ctx = ctx;
    this.#pace = pace;
    this.#tell = tell;
  }

  /** Something happened that may have changed what is told. */
  note(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    const { soonMs, everyMs } = this.#pace;
    this.#ctx.waitUntil(this.#tellIn(Math.max(soonMs, this.#toldAt + everyMs - Date.now())));
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
