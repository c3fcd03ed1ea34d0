import { setTimeout as sleep } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import { Complaint } from "./complaint.ts";

/** Before each further attempt to start a runtime. What does not start after the last is not going to. */
const BACK_OFF_MS = [100, 200, 400, 800, 1600, 3200];

export interface RuntimeEvents {
  readonly restarted: () => void;
  readonly failed: (error: Error) => void;
  /** Its process is gone. */
  readonly ended: () => void;
}

const REPLACE_PATIENCE_MS = 2000;
const STOP_PATIENCE_MS = 4000;

interface SupervisorOptions {
  readonly make: (events: RuntimeEvents) => Miniflare;
  readonly prepare: (miniflare: Miniflare) => Promise<void>;
  readonly remark: (line: string) => void;
  /** Where remarks are kept. */
  readonly log: string;
  readonly onRestart: () => void;
  readonly onLost: (complaint: Complaint) => void;
}

/**
 * Holds one runtime that serves. One that ends is started again by Miniflare; when that fails, or the first start does, it
 * is made anew, a bounded number of times in a row.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #current: Miniflare | null = null;
  #starting: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get current(): Miniflare {
    if (this.#current === null) throw new Error("the runtime is restarting");
    return this.#current;
  }

  /** Resolves when a runtime serves; rejects with a complaint when none can be started. */
  start(): Promise<void> {
    const starting = this.#start();
    this.#starting = starting.catch(() => {});
    return starting;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#starting;
    if (this.#current !== null) await dispose(this.#current, STOP_PATIENCE_MS);
  }

  async #start(): Promise<void> {
    let reason = "";
    for (const waitMs of [0, ...BACK_OFF_MS]) {
      await sleep(waitMs);
      if (this.#stopped) return;
      try {
        this.#current = await this.#attempt();
        return;
      } catch (error) {
        reason = (error as Error).message.split("\n").join(" ");
        this.#options.remark(`The runtime did not start: ${reason}`);
      }
    }
    throw new Complaint(
      `the runtime did not start in ${BACK_OFF_MS.length + 1} attempts (${reason}): see ${this.#options.log}`,
    );
  }

  async #attempt(): Promise<Miniflare> {
    let isUp = false;
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => {});
    const failed = (error: Error): void => {
      failure.reject(error);
      this.#lost(made, error);
    };
    const made: Miniflare = this.#options.make({
      restarted: () => {
        isUp = true;
        this.#options.onRestart();
      },
      failed,
      // One that served is started again by Miniflare. For one that ends before, Miniflare may wait for ever.
      ended: () => (isUp ? (isUp = false) : failed(new Error("it exited during startup"))),
    });
    try {
      await Promise.race([failure.promise, made.ready]);
      isUp = true;
      await Promise.race([failure.promise, this.#options.prepare(made)]);
      return made;
    } catch (error) {
      await dispose(made);
      throw error;
    }
  }

  #lost(runtime: Miniflare, error: Error): void {
    if (this.#current !== runtime || this.#stopped) return;
    this.#current = null;
    this.#options.remark(`The runtime exited again while restarting: ${error.message}`);
    void this.#replace(runtime);
  }

  async #replace(runtime: Miniflare): Promise<void> {
    await dispose(runtime);
    try {
      await this.start();
      if (!this.#stopped) this.#options.onRestart();
    } catch (complaint) {
      this.#options.onLost(complaint as Complaint);
    }
  }
}

/** Disposing waits for what is under way. What never ends has no process left that could be in the way of the next. */
async function dispose(miniflare: Miniflare, patienceMs = REPLACE_PATIENCE_MS): Promise<void> {
  await Promise.race([miniflare.dispose().catch(() => {}), sleep(patienceMs)]);
}
