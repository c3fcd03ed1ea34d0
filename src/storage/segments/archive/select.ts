import { DAY_MS } from "../../../contract/durations.ts";
import { type LocalSegment, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { isSmall } from "../sizes.ts";
import { archivedTo } from "./files.ts";

/** Rows stay in the object for at least a day: they are the ones that are asked for and sent again. */
export const KEPT_MS = DAY_MS;

/** The largest size of a file, which has at least one segment. The object remembers something of each file. */
export interface FileSize {
  readonly rows: number;
  readonly bytes: number;
  readonly isFull: (segment: LocalSegment) => boolean;
}
export const FILE_SIZE: FileSize = { rows: 16_384, bytes: 4_194_304, isFull: (segment) => !isSmall(segment) };

/**
 * The segments of the next file: full ones that were recorded long enough ago, after all that were ever archived. Runs
 * that retention has brought back are about to be deleted, so they stay. Segments that may still be merged stay too.
 */
export function nextSegments(segments: Segments, now: number, size: FileSize): readonly LocalSegment[] {
  const chosen: LocalSegment[] = [];
  let [rows, bytes] = [0, 0];
  for (const segment of oldSegments(segments, now, size)) {
    if (chosen.length > 0 && (rows + segment.rows > size.rows || bytes + segment.bytes > size.bytes)) break;
    chosen.push(segment);
    rows += segment.rows;
    bytes += segment.bytes;
  }
  return chosen;
}

export function isAnyOld(segments: Segments, now: number): boolean {
  return oldSegments(segments, now, FILE_SIZE).length > 0;
}

function oldSegments(segments: Segments, now: number, { isFull }: FileSize): readonly LocalSegment[] {
  const { list, lastSeq } = segments;
  const last = archivedTo(segments);
  // Once every row is deleted, their numbers begin anew.
  const after = last > lastSeq ? 0 : last;
  const local = list.ranges.filter((range) => range.state !== STATE.archived);
  const candidates = local.filter(({ state, firstSeq }) => state === STATE.rows && firstSeq > after);
  const young = candidates.findIndex(({ recordedMax }) => recordedMax > now - KEPT_MS);
  const old = young === -1 ? candidates : candidates.slice(0, young);
  return old.slice(0, old.findLastIndex(isFull) + 1);
}
