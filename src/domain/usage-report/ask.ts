import type { Dimension } from "../../contract/dimensions.ts";
import type { TagFilter } from "../../contract/run-filters.ts";

/** A grouping by time: where each stretch begins, and what it is called. The last ends where the report does. */
export interface Stretches {
  readonly starts: readonly number[];
  readonly labels: readonly string[];
}

/** One thing that a report is grouped by. */
export type ReportGrouping =
  | { readonly kind: "name"; readonly name: Dimension }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "time"; readonly stretches: Stretches };

/**
 * The question of a report: it adds up runs that started, and adjustments that were made, from a moment until before
 * another.
 */
export interface ReportAsk {
  readonly fromMs: number;
  readonly toMs: number;
  readonly groupBy: readonly ReportGrouping[];
  /** Only runs with these names. */
  readonly filters: Readonly<Partial<Record<Dimension, string>>>;
  /** Only runs that do not name these. */
  readonly without?: readonly Dimension[];
  /** Only runs with these tags. */
  readonly tags?: readonly TagFilter[];
}

/** Finds the stretch that a moment is in. Most moments are in the same one as the moment before. */
export class StretchFinder {
  readonly #starts: readonly number[];
  #last = 0;

  constructor({ starts }: Stretches) {
    this.#starts = starts;
  }

  at(moment: number): number {
    const last = this.#last;
    const starts = this.#starts;
    if (moment >= (starts[last] ?? 0) && moment < (starts[last + 1] ?? Number.POSITIVE_INFINITY)) return last;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= moment) low = middle;
      else high = middle - 1;
    }
    this.#last = low;
    return low;
  }
}
