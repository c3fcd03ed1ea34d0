import type { Pace } from "./pace.ts";

const LOOK_MS = 100;
/** From here on, it may be the machine's fault that something has not come. */
const SLOW = 3;

/** What was waited for and did not come. */
export class TooLate extends Error {
  /** The machine was so slow meanwhile that this says nothing of the service. */
  readonly isOfTheMachine: boolean;

  constructor(what: string, { seconds, slowness }: { seconds: number; slowness: number }) {
    super(
      `${what}: not within ${seconds} seconds, on a machine that was ${slowness.toFixed(1)} times as slow as usual`,
    );
    this.isOfTheMachine = slowness >= SLOW;
  }
}

/** Every wait has a bound, in seconds of a machine that is not busy with something else. */
export class Bound {
  readonly isOver: () => boolean;
  readonly #pace: Pace;
  readonly #seconds: number;
  readonly #begunAt = performance.now();

  constructor(pace: Pace, seconds: number) {
    this.#pace = pace;
    this.#seconds = seconds;
    this.isOver = pace.after(seconds);
  }

  /** After so many seconds. */
  tooLate(what: string): TooLate {
    const passed = (performance.now() - this.#begunAt) / 1000;
    const slowness = Math.max(this.#pace.slowness, passed / this.#seconds);
    return new TooLate(what, { seconds: this.#seconds, slowness });
  }
}

/** `what` says what was waited for when the bound was reached. */
export async function inTime<T>(
  { pace, seconds, what }: { readonly pace: Pace; readonly seconds: number; readonly what: () => string },
  work: Promise<T>,
): Promise<T> {
  const bound = new Bound(pace, seconds);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (bound.isOver()) reject(bound.tooLate(what()));
    }, LOOK_MS);
  });
  return Promise.race([work, late]).finally(() => clearInterval(timer));
}
