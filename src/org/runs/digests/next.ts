import { runBlocks } from "../blocks/blocks.ts";
import type { BlockEntry } from "../blocks/entry.ts";
import { isSmall } from "../blocks/sizes.ts";
import { digestedTo } from "./table.ts";

/** Which runs a digest is made of. */
export interface DigestSize {
  readonly leastRuns: number;
  /** No block is added to so many. */
  readonly mostRuns: number;
  /** Only runs that were recorded until then. */
  readonly untilMs: number;
}

const RUNS = 16_384;
export const DIGEST_SIZE: DigestSize = {
  leastRuns: RUNS,
  mostRuns: RUNS,
  untilMs: Number.POSITIVE_INFINITY,
};

/** The blocks of the next digest: stored here, in none yet, and never merged again. Empty: there are too few. */
export function nextToDigest(
  sql: SqlStorage,
  { leastRuns, mostRuns, untilMs }: DigestSize,
): readonly BlockEntry[] {
  const { entries } = runBlocks(sql);
  const end = entries.findLastIndex((entry) => !isSmall(entry)) + 1;
  const last = digestedTo(sql);
  const isWanted = (entry: BlockEntry | undefined) => entry?.state === "runs" && entry.firstSeq > last;
  let at = end;
  while (isWanted(entries[at - 1])) at -= 1;
  const chosen: BlockEntry[] = [];
  let runs = 0;
  for (const entry of entries.slice(at, end)) {
    if (runs >= mostRuns || entry.recordedMax > untilMs) break;
    chosen.push(entry);
    runs += entry.runs;
  }
  return runs >= leastRuns ? chosen : [];
}
