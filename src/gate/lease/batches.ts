import type { Batch } from "./protocol.ts";

/**
 * The maximum size of a report: the rest goes with the next. A batch has a maximum too, because it is reported whole:
 * its holds, and what they took of each slice, must reach the object together.
 */
export interface ReportBounds<Hold> {
  readonly batchBytes: number;
  readonly reportBytes: number;
  /** Returns the size that a hold adds to its batch. `named` are the names that are already in the batch. */
  readonly weigh: (hold: Hold, named: Set<unknown>) => number;
}

export const UNBOUNDED = { batchBytes: Infinity, reportBytes: Infinity, weigh: () => 0 };
/** The size that a sum adds to a batch, in addition to its meter's name. */
export const SUM_BYTES = 40;

export interface ClosedBatch<Hold> extends Batch<Hold> {
  readonly bytes: number;
}

/** The oldest batches that fit into one report, and at least one. */
export function takeFittingBatches<Hold>(
  batches: readonly ClosedBatch<Hold>[],
  { reportBytes }: ReportBounds<Hold>,
): ClosedBatch<Hold>[] {
  let bytes = 0;
  const over = batches.findIndex((batch, index) => {
    bytes += batch.bytes;
    return index > 0 && bytes > reportBytes;
  });
  return over < 0 ? [...batches] : batches.slice(0, over);
}

/** Returns what batches took of each meter, together. */
export function sumUsed(batches: readonly Batch<unknown>[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { used } of batches) {
    for (const [meter, sum] of used) sums.set(meter, (sums.get(meter) ?? 0n) + sum);
  }
  return sums;
}
