import type { RunSegments } from "../runs/segments/segments.ts";
import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import { rollupColumn } from "../../domain/usage-report/rollup.ts";
import { type SegmentMetadata, lastSeqOf } from "../../storage/segments/metadata.ts";
import { type RollupMetadata, readRollupMetadata } from "../../storage/segments/rollups/table.ts";

/** A segment that a report reads, or segments that it takes the rollup of. */
export interface ScanPart {
  readonly segments: readonly SegmentMetadata[];
  readonly rollup: { readonly column: number; readonly firstSeq: number } | null;
  /** Runs or groups to add up. */
  readonly count: number;
  readonly bytes: number;
}

export interface ScannedRuns {
  readonly ask: ReportAsk;
  /** The first and last run that may count. */
  readonly fromRun: number;
  readonly toRun: number;
  /** Runs that do not count. */
  readonly replaced: readonly number[];
}

/** How a report reads these segments, which follow one another: by rollups, where those are about nothing else. */
export function partsOf(
  store: RunSegments,
  segments: readonly SegmentMetadata[],
  runs: ScannedRuns,
): ScanPart[] {
  const column = rollupColumn(runs.ask);
  const [first, last] = [segments[0], segments.at(-1)];
  if (column === null || first === undefined || last === undefined) return segments.map(alone);
  const rollups = readRollupMetadata(store, column, [first.firstSeq, last.firstSeq]);
  const bySeq = new Map(rollups.map((rollup) => [rollup.firstSeq, rollup]));
  const parts: ScanPart[] = [];
  for (let at = 0; at < segments.length;) {
    const segment = segments[at];
    if (segment === undefined) break;
    const rollup = bySeq.get(segment.firstSeq);
    const covered = rollup === undefined ? [] : coveredBy(rollup, segments, at);
    if (rollup === undefined || covered.length === 0 || !isAllAsked(rollup, runs)) {
      parts.push(alone(segment));
      at += 1;
    } else {
      const { groups, bytes, firstSeq } = rollup;
      parts.push({ segments: covered, rollup: { column, firstSeq }, count: groups, bytes });
      at += covered.length;
    }
  }
  return parts;
}

const alone = (segment: SegmentMetadata): ScanPart => ({
  segments: [segment],
  rollup: null,
  count: segment.rows,
  bytes: segment.bytes,
});

/** The segments of a rollup. Empty if some of them are not among these. */
function coveredBy(
  { lastSeq }: RollupMetadata,
  segments: readonly SegmentMetadata[],
  from: number,
): SegmentMetadata[] {
  const covered: SegmentMetadata[] = [];
  for (let at = from, next = segments[from]?.firstSeq ?? 0; next <= lastSeq; at += 1) {
    const segment = segments[at];
    if (segment?.firstSeq !== next || lastSeqOf(segment) > lastSeq) return [];
    covered.push(segment);
    next = lastSeqOf(segment) + 1;
  }
  return covered;
}

/** Returns whether all runs of a rollup count. */
function isAllAsked(rollup: RollupMetadata, { ask, fromRun, toRun, replaced }: ScannedRuns): boolean {
  const { firstSeq, lastSeq, startedMin, startedMax, groups } = rollup;
  return (
    groups > 0 &&
    firstSeq >= fromRun &&
    lastSeq <= toRun &&
    startedMin >= ask.fromMs &&
    startedMax < ask.toMs &&
    !replaced.some((seq) => seq >= firstSeq && seq <= lastSeq)
  );
}
