import type { RefusalNote } from "../../domain/refusal/note.ts";
import { logFailure } from "../../log.ts";
import { walTransaction } from "../../storage/transaction.ts";
import { keepRefusals } from "./commands.ts";

/**
 * While there are many refusals, a row is written at most this often. Constant in every deployment. Only the Worker's
 * tests, which share its isolate, shorten it.
 */
export const WRITING = { everyMs: 1000 } as const;
/** This many are stored at once, without waiting. */
const AT_ONCE = 1000;
/** The maximum that waits while storing fails. */
const MOST_WAITING = 10_000;

/**
 * The object's own refusals on their way to storage. The first is stored at once. Those of the following second are
 * stored together, in one row. Reading refusals stores pending ones first.
 */
export class RefusalDesk {
  readonly #ctx: DurableObjectState;
  readonly #now: () => number;
  #waiting: RefusalNote[] = [];
  #storedAt = Number.NEGATIVE_INFINITY;
  #isTimed = false;

  /** `now` is the org's time. */
  constructor(ctx: DurableObjectState, now: () => number) {
    this.#ctx = ctx;
    this.#now = now;
  }

  note(notes: readonly RefusalNote[]): void {
    if (notes.length === 0) return;
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(...notes);
    const isSoon = Date.now() < this.#storedAt + WRITING.everyMs;
    if (!isSoon || this.#waiting.length >= AT_ONCE) this.store();
    else if (!this.#isTimed) {
      this.#isTimed = true;
      this.#ctx.waitUntil(this.#storeLater());
    }
  }

  async #storeLater(): Promise<void> {
    await scheduler.wait(WRITING.everyMs);
    this.#isTimed = false;
    this.store();
  }

  /** Refusals that cannot be stored wait for the next time, so that no call fails because of them. */
  store(): void {
    if (this.#waiting.length === 0) return;
    const { storage } = this.#ctx;
    this.#storedAt = Date.now();
    try {
      const batch = { notes: this.#waiting, more: [] };
      walTransaction(storage, () => keepRefusals({ sql: storage.sql, now: this.#now() }, batch));
      this.#waiting = [];
    } catch (error) {
      logFailure("refusals", error);
    }
  }
}
