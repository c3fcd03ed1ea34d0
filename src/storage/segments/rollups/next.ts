import { type LocalSegment, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { isSmall } from "../sizes.ts";
import { lastRolledUpRow } from "./table.ts";

/** The number of rows that a rollup is made of. */
export interface RollupSize {
  readonly leastRows: number;
  /** No segment is added to so many. */
  readonly mostRows: number;
  /** The time until which rows must have been recorded. */
  readonly untilMs: number;
}

const ROWS = 16_384;
export const ROLLUP_SIZE: RollupSize = {
  leastRows: ROWS,
  mostRows: ROWS,
  untilMs: Number.POSITIVE_INFINITY,
};

/** The segments of the next rollup: stored here, in none yet, and never merged again. Empty if there are too few. */
export function nextToRollUp(
  segments: Segments,
  { leastRows, mostRows, untilMs }: RollupSize = ROLLUP_SIZE,
): readonly LocalSegment[] {
  const { ranges: all } = segments.list;
  const end = all.findLastIndex((range) => !isSmall(range)) + 1;
  const last = lastRolledUpRow(segments);
  let at = end;
  for (let before = all[at - 1]; before?.state === STATE.rows && before.firstSeq > last; before = all[at - 1])
    at -= 1;
  const chosen: LocalSegment[] = [];
  let rows = 0;
  for (const segment of all.slice(at, end)) {
    if (segment.state === STATE.archived || rows >= mostRows || segment.recordedMax > untilMs) break;
    chosen.push(segment);
    rows += segment.rows;
  }
  return rows >= leastRows ? chosen : [];
}
