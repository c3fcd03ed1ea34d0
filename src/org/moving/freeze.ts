import { type Refusal, refuse } from "../../contract/refusal.ts";

/** How long a write waits for a move to end. Callers of decisions wait about as long. */
const PATIENCE_MS = 4000;
const POLL_MS = 20;
const RETRY_AFTER_SECONDS = 2;

/** Thrown by what would change an org that is being moved. Its transaction is rolled back. */
class Frozen extends Error {
  override readonly name = "Frozen";
}

/** Tells whether the org may be changed here now: not while it is copied, and not after it went. */
export class Freeze {
  readonly #isFrozen: () => boolean;

  constructor(isFrozen: () => boolean) {
    this.#isFrozen = isFrozen;
  }

  /** Called inside each change, when nothing is awaited any more before it is stored. */
  check(): void {
    if (this.#isFrozen()) throw new Frozen("the org is being moved");
  }

  /** Does it now or, if the org is being moved, once that is over. `refused` answers if it takes too long. */
  through<T>(act: () => T | Promise<T>, refused: () => T): T | Promise<T> {
    try {
      const done = act();
      return done instanceof Promise ? done.catch((error) => this.#later(error, act, refused)) : done;
    } catch (error) {
      return this.#later(error, act, refused);
    }
  }

  async #later<T>(error: unknown, act: () => T | Promise<T>, refused: () => T): Promise<T> {
    if (!(error instanceof Frozen)) throw error;
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      await scheduler.wait(POLL_MS);
      if (!this.#isFrozen()) return this.through(act, refused);
    }
    return refused();
  }
}

export function refuseFrozen(): Refusal<"service_unavailable"> {
  const message = "This organization is being moved to another region. Try again shortly.";
  return refuse("service_unavailable", {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
