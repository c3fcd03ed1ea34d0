import { DAY_MS } from "../../../contract/durations.ts";
import { runSegments } from "../segments/segments.ts";
import type { SegmentMetadata } from "../segments/metadata.ts";
import { isSmall } from "../segments/sizes.ts";
import { archivedTo } from "./files.ts";

/** Runs stay in the object for at least a day: they are the ones that are asked for and sent again. */
export const KEPT_MS = DAY_MS;

/**
 * What a file holds, and at least one segment. Each column of it is written in one step, which others wait for. Its index is a row
 * of the object, and a row has at most 2 MB.
 */
export interface FileSize {
  readonly runs: number;
  readonly bytes: number;
  readonly isFull: (segment: SegmentMetadata) => boolean;
}
export const FILE_SIZE: FileSize = { runs: 2048, bytes: 4_194_304, isFull: (segment) => !isSmall(segment) };

/**
 * The segments of the next file: full ones that were recorded long enough ago, after all that were ever archived. What
 * retention has brought back is about to be deleted, so it stays. Segments that may still be merged stay too.
 */
export function nextSegments(sql: SqlStorage, now: number, size: FileSize): readonly SegmentMetadata[] {
  const chosen: SegmentMetadata[] = [];
  let [runs, bytes] = [0, 0];
  for (const segment of oldSegments(sql, now, size)) {
    if (chosen.length > 0 && (runs + segment.runs > size.runs || bytes + segment.bytes > size.bytes)) break;
    chosen.push(segment);
    runs += segment.runs;
    bytes += segment.bytes;
  }
  return chosen;
}

export function isAnyOld(sql: SqlStorage, now: number): boolean {
  return oldSegments(sql, now, FILE_SIZE).length > 0;
}

function oldSegments(sql: SqlStorage, now: number, { isFull }: FileSize): readonly SegmentMetadata[] {
  const { segments, lastSeq } = runSegments(sql);
  const last = archivedTo(sql);
  // Once every run is deleted, their numbers begin anew.
  const after = last > lastSeq ? 0 : last;
  const candidates = segments.filter(({ state, firstSeq }) => state === "runs" && firstSeq > after);
  const young = candidates.findIndex(({ recordedMax }) => recordedMax > now - KEPT_MS);
  const old = young === -1 ? candidates : candidates.slice(0, young);
  return old.slice(0, old.findLastIndex(isFull) + 1);
}
