import type { Meter } from "../meter/meter.ts";
import type { Window } from "./period.ts";

/**
 * The times around one in which the same counters of the same limits count: no window of theirs begins or ends, and none of
 * them begins to count.
 */
export class ValidityInterval {
  readonly #atMs: number;
  #fromMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  has(atMs: number): boolean {
    return atMs >= this.#fromMs && atMs < this.#untilMs;
  }

  /** A limit is looked at. */
  withStart({ sinceMs }: Pick<Meter, "sinceMs">): this {
    this.#bound(sinceMs);
    return this;
  }

  /** Its counter is used. */
  withWindow({ startMs, endMs }: Window): this {
    this.#bound(startMs);
    if (endMs !== null) this.#bound(endMs);
    return this;
  }

  /** Something changes then. */
  #bound(changesMs: number): void {
    if (changesMs <= this.#atMs) this.#fromMs = Math.max(this.#fromMs, changesMs);
    else this.#untilMs = Math.min(this.#untilMs, changesMs);
  }
}

/** Keeps a value that is the same in all of an interval, for several intervals. */
export class ByValidity<T> {
  readonly #known: { readonly interval: ValidityInterval; readonly value: T }[] = [];

  at(atMs: number): T | undefined {
    for (const { interval, value } of this.#known) if (interval.has(atMs)) return value;
    return undefined;
  }

  keep(interval: ValidityInterval, value: T): T {
    this.#known.push({ interval, value });
    return value;
  }
}
