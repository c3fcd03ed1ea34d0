import { type RefusalCode, Refused, SluiceError } from "../errors.ts";
import type { RunInput } from "../generated/types.ts";
import type { Sluice } from "../sluice.ts";

/** Runs of one bulk call, and how many may wait. */
const MOST_AT_ONCE = 500;
/** A timer that is so late is not coming. */
const LATE_MS = 1000;
/** Longer than any bulk that is still answered. */
const GIVEN_UP_MS = 60_000;

type WaitUntil = (work: Promise<unknown>) => void;

/** Refusals that say nothing about the runs: another attempt may pass. */
const NOT_OF_RUNS: ReadonlySet<RefusalCode> = new Set([
  "bad_request",
  "unauthorized",
  "key_expired",
  "gone",
  "forbidden",
  "missing_scope",
  "ip_not_allowed",
  "org_suspended",
  "residency_violation",
  "support_scope_denied",
  "rate_limited",
  "idempotency_key_conflict",
  "idempotency_key_processing",
  "internal",
  "service_unavailable",
]);

export interface SettlementOptions {
  readonly flushMs: number;
  readonly mostQueued: number;
  readonly onError: (error: unknown, run: RunInput) => void;
  /** Runs before each bulk call: what the runs settle should be known by then. */
  readonly before: () => Promise<void>;
}

/**
 * Runs on their way to the service. Each has an id, so that one that is sent twice is recorded once. They wait for a moment
 * and go in bulks; a bulk that is not answered goes again, and nothing is dropped but what the service says is no run.
 */
export class Settlements {
  readonly #sluice: Sluice;
  readonly #options: SettlementOptions;
  #queue: RunInput[] = [];
  /** How many of those that wait, from the first on, are to be sent now. */
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sending: Promise<void> | null = null;
  #sendingSince = 0;
  #armedUntil = 0;
  #failures = 0;
  sent = 0;
  rejected = 0;

  constructor(sluice: Sluice, options: SettlementOptions) {
    this.#sluice = sluice;
    this.#options = options;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get isFull(): boolean {
    return this.#queue.length >= this.#options.mostQueued;
  }

  add(run: RunInput, waitUntil: WaitUntil | undefined): void {
    // What was admitted while there was room may still come; twice the bound is all that is kept.
    if (this.#queue.length >= this.#options.mostQueued * 2) {
      this.rejected += 1;
      this.#options.onError(new SluiceError("too many runs wait to be sent"), run);
      return;
    }
    this.#queue.push(run);
    const isMany = this.#queue.length >= MOST_AT_ONCE && this.#failures === 0;
    if (waitUntil !== undefined) this.#armWith(waitUntil, isMany);
    else if (isMany) void this.flush();
    else this.#arm();
  }

  /** A timer of a Worker ends with the request that set it, unless it is waited for. One that never came is set again. */
  #armWith(waitUntil: WaitUntil, isMany: boolean): void {
    const now = Date.now();
    if (isMany && this.#sending === null) waitUntil(this.flush());
    if (now < this.#armedUntil + LATE_MS) return;
    const waitMs = this.#waitMs();
    this.#armedUntil = now + waitMs;
    waitUntil(
      new Promise((resolve) => setTimeout(resolve, waitMs)).then(() => {
        this.#armedUntil = 0;
        return this.flush();
      }),
    );
  }

  /**
   * Sends all that waits; whatever cannot be sent now stays. What comes meanwhile waits for the next time, so that bulks
   * stay large while many come.
   */
  async flush(): Promise<void> {
    const now = Date.now();
    this.#due = this.#queue.length;
    // The request that was sending may be gone, and with it what would have said so.
    if (this.#sending === null || now > this.#sendingSince + GIVEN_UP_MS) {
      this.#sendingSince = now;
      const sending = this.#drain().finally(() => {
        if (this.#sending !== sending) return;
        this.#sending = null;
        if (this.#queue.length > 0 && Date.now() >= this.#armedUntil) this.#arm();
      });
      this.#sending = sending;
    }
    await this.#sending;
  }

  #waitMs(): number {
    return Math.min(30_000, this.#options.flushMs * 2 ** Math.min(this.#failures, 10));
  }

  #arm(): void {
    if (this.#timer !== null) return;
    const timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, this.#waitMs());
    this.#timer = timer;
    (timer as { unref?: () => void }).unref?.();
  }

  async #drain(): Promise<void> {
    while (this.#due > 0) {
      const runs = this.#queue.slice(0, Math.min(MOST_AT_ONCE, this.#due));
      await this.#options.before();
      if (!(await this.#send(runs))) {
        this.#failures += 1;
        return;
      }
      this.#failures = 0;
      const done = new Set(runs);
      this.#queue = this.#queue.filter((run) => !done.has(run));
      this.#due = Math.max(0, this.#due - runs.length);
    }
  }

  /** False: nothing is known of them, and they go again. */
  async #send(runs: readonly RunInput[]): Promise<boolean> {
    try {
      const { results } = await this.#sluice.runs.recordBulk({ runs });
      for (const { index, status, error } of results) {
        const run = runs[index];
        if (status !== "rejected") this.sent += 1;
        else if (run !== undefined) this.#reject(error ?? new SluiceError("the run was rejected"), run);
      }
      return true;
    } catch (error) {
      const [run] = runs;
      if (!(error instanceof Refused) || NOT_OF_RUNS.has(error.code) || run === undefined) return false;
      // One malformed run has the whole bulk refused: it is found by halves.
      if (runs.length === 1) {
        this.#reject(error, run);
        return true;
      }
      const half = Math.ceil(runs.length / 2);
      return (await this.#send(runs.slice(0, half))) && this.#send(runs.slice(half));
    }
  }

  #reject(error: unknown, run: RunInput): void {
    this.rejected += 1;
    this.#options.onError(error, run);
  }
}
