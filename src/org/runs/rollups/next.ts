import { runSegments } from "../segments/segments.ts";
import type { SegmentMetadata } from "../segments/metadata.ts";
import { isSmall } from "../segments/sizes.ts";
import { rolledUpTo } from "./table.ts";

/** Which runs a rollup is made of. */
export interface RollupSize {
  readonly leastRuns: number;
  /** No segment is added to so many. */
  readonly mostRuns: number;
  /** Only runs that were recorded until then. */
  readonly untilMs: number;
}

const RUNS = 16_384;
export const ROLLUP_SIZE: RollupSize = {
  leastRuns: RUNS,
  mostRuns: RUNS,
  untilMs: Number.POSITIVE_INFINITY,
};

/** The segments of the next rollup: stored here, in none yet, and never merged again. Empty: there are too few. */
export function nextToRollUp(
  sql: SqlStorage,
  { leastRuns, mostRuns, untilMs }: RollupSize,
): readonly SegmentMetadata[] {
  const { segments } = runSegments(sql);
  const end = segments.findLastIndex((segment) => !isSmall(segment)) + 1;
  const last = rolledUpTo(sql);
  const isWanted = (segment: SegmentMetadata | undefined) =>
    segment?.state === "runs" && segment.firstSeq > last;
  let at = end;
  while (isWanted(segments[at - 1])) at -= 1;
  const chosen: SegmentMetadata[] = [];
  let runs = 0;
  for (const segment of segments.slice(at, end)) {
    if (runs >= mostRuns || segment.recordedMax > untilMs) break;
    chosen.push(segment);
    runs += segment.runs;
  }
  return runs >= leastRuns ? chosen : [];
}
