import { setTimeout as sleep } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import { Complaint } from "./complaint.ts";

/** The waits before each retry of a start. After the last one, it gives up. */
const BACK_OFF_MS = [100, 200, 400, 800, 1600, 3200];

export interface RuntimeEvents {
  readonly restarted: () => void;
  readonly failed: (error: Error) => void;
  /** Its process has ended. */
  readonly ended: () => void;
}

const REPLACE_PATIENCE_MS = 2000;
const STOP_PATIENCE_MS = 4000;

interface SupervisorOptions {
  readonly make: (events: RuntimeEvents) => Miniflare;
  readonly prepare: (miniflare: Miniflare) => Promise<void>;
  readonly remark: (line: string) => void;
  /** The file for messages. */
  readonly log: string;
  readonly onRestart: () => void;
  readonly onLost: (complaint: Complaint) => void;
}

/**
 * Keeps one runtime serving. Miniflare restarts a runtime that ends. If that fails, or the first start does, a new one
 * is created, a bounded number of times in a row.
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

  /** Resolves when a runtime serves. Rejects with a complaint if none can be started. */
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
      // Miniflare restarts a runtime that has served. For one that ends before that, Miniflare may wait forever.
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

/** Disposing waits for work in progress. If it never ends, no process is left that could block the next one. */
async function dispose(miniflare: Miniflare, patienceMs = REPLACE_PATIENCE_MS): Promise<void> {
  await Promise.race([miniflare.dispose().catch(() => {}), sleep(patienceMs)]);
}
