import { Arrival } from "./arrival.ts";
import type { Pieces } from "./pieces.ts";

export interface Timer {
  now(): number;
  /** Calls back after so long. Returns what cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** Why a body was not read: its sender broke it off, it came too slowly, or there is no memory for it. */
export class UnreadBody extends Error {
  override readonly name = "UnreadBody";
  readonly reason: "broken" | "late" | "full";

  constructor(reason: UnreadBody["reason"], cause?: unknown) {
    super(`the body was not read: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** What a promise resolves to, if it does so in time. */
export async function inTime<T>(work: Promise<T>, bytes: number, bounds: TimeBounds): Promise<T> {
  const watch = new Watch(bounds);
  try {
    return await watch.wait(work, bytes);
  } finally {
    watch.end();
  }
}

export interface TimeBounds {
  readonly timer: Timer;
  readonly deadlineMs: number;
}

/** The pieces, each in time. Throws `UnreadBody`. */
export async function* timedPieces(
  pieces: Pieces,
  sizeOfNext: (held: number) => number,
  bounds: TimeBounds,
): AsyncGenerator<Uint8Array> {
  const watch = new Watch(bounds);
  let held = 0;
  try {
    for (;;) {
      const bytes = sizeOfNext(held);
      const piece = await watch.wait(pieces.next(bytes), bytes);
      if (piece === null) return;
      watch.arrived(piece.byteLength);
      held += piece.byteLength;
      yield piece;
    }
  } finally {
    watch.end();
  }
}

/** One timer for a body, however many pieces it has. */
class Watch {
  readonly #timer: Timer;
  readonly #arrival: Arrival;
  #dueAt = 0;
  #cancel: (() => void) | null = null;
  #reject: (error: UnreadBody) => void = () => undefined;

  constructor({ timer, deadlineMs }: TimeBounds) {
    this.#timer = timer;
    this.#arrival = new Arrival(timer.now(), deadlineMs);
  }

  wait<T>(work: Promise<T>, bytes: number): Promise<T> {
    this.#dueAt = this.#arrival.dueAt(this.#timer.now(), bytes);
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, (error: unknown) => reject(new UnreadBody("broken", error)));
      this.#cancel ??= this.#arm();
    });
  }

  arrived(bytes: number): void {
    this.#reject = () => undefined;
    this.#arrival.arrived(this.#timer.now(), bytes);
  }

  end(): void {
    this.#cancel?.();
  }

  #arm(): () => void {
    return this.#timer.after(Math.max(0, this.#dueAt - this.#timer.now()), () => {
      const isLate = this.#timer.now() >= this.#dueAt;
      if (isLate) this.#reject(new UnreadBody("late"));
      this.#cancel = isLate ? null : this.#arm();
    });
  }
}
