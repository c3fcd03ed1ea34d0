import { type LocalSegment, STATE, type StoredRange } from "./metadata.ts";

/** Small batches grow the last segment up to this size. It is written whole each time. */
export const GROWING_ROWS = 64;
export const GROWING_BYTES = 16_384;
/** From this size on a segment is left as it is. Smaller ones are merged with their neighbours. */
const FULL_ROWS = 512;
const FULL_BYTES = 65_536;
const MOST_SMALL = 16;

export function isSmall({ state, rows, bytes }: StoredRange): boolean {
  return state === STATE.rows && rows < FULL_ROWS && bytes < FULL_BYTES;
}

/** The segments at the end that are merged once there are enough. */
export function smallAtEnd(ranges: readonly StoredRange[]): readonly LocalSegment[] {
  const end = ranges.slice(ranges.findLastIndex((range) => !isSmall(range)) + 1);
  return end.filter((range) => range.state !== STATE.archived);
}

/** Returns whether small segments make a full one, or are too many. */
export function areWorthMerging(small: readonly LocalSegment[]): boolean {
  if (small.length < 2) return false;
  const rows = small.reduce((sum, segment) => sum + segment.rows, 0);
  const bytes = small.reduce((sum, segment) => sum + segment.bytes, 0);
  return rows >= FULL_ROWS || bytes >= FULL_BYTES || small.length >= MOST_SMALL;
}
