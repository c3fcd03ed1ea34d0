import { isArchived, reduceArchived, requireArchived } from "../archived-segments.ts";
import { Unreadable } from "../../needs-fetch.ts";
import { fetchSegments } from "../fetch.ts";
import { archivedFilter } from "../file-segments.ts";
import { type ArchivedSegment, firstSegments, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";

/**
 * Archived segments on their way to another object. They leave as rows of the table, as if they had never been archived: the
 * place that they come to may have another bucket, or none.
 */
export const CARRIED_COLUMNS = [
  "first_seq",
  "state",
  "runs",
  "started_min",
  "started_max",
  "recorded_min",
  "recorded_max",
  "cost_min",
  "cost_max",
  "names",
  "data",
] as const;

/** One call carries so many bytes, and at least one segment. */
const CARRIED_BYTES = 524_288;

type CarriedCell = string | ArrayBuffer;

interface CarriedSegments {
  /** The cells of the segments, each a text that begins with its kind, or bytes. */
  readonly rows: readonly (readonly CarriedCell[])[];
  /** The last segment among them. Null if no more follow. */
  readonly last: number | null;
}

/** The next archived segments after the one that begins with a seq, each as its digest says. */
export function readCarriedAfter(segments: Segments, after: number): CarriedSegments {
  const chosen: ArchivedSegment[] = [];
  let bytes = 0;
  for (const segment of archivedAfter(segments, after)) {
    if (chosen.length > 0 && bytes + segment.bytes > CARRIED_BYTES) break;
    chosen.push(segment);
    bytes += segment.bytes;
  }
  requireArchived(segments, chosen);
  const rows = chosen.map((segment) => cellsOf(segments, segment));
  return { rows, last: chosen.at(-1)?.firstSeq ?? null };
}

/** The archived segments after the one that begins with a seq. */
function* archivedAfter(segments: Segments, after: number): Generator<ArchivedSegment, void> {
  const all = segments.list.forward(({ state }) => state === STATE.archived, after + 1);
  for (const segment of all) if (isArchived(segment) && segment.firstSeq > after) yield segment;
}

export function countArchived(segments: Segments): number {
  const { ranges } = segments.list;
  return ranges.reduce((sum, range) => sum + (range.state === STATE.archived ? range.segments : 0), 0);
}

function cellsOf(segments: Segments, segment: ArchivedSegment): CarriedCell[] {
  return [
    `i${segment.firstSeq}`,
    "truns",
    `i${segment.rows}`,
    `i${segment.startedMin}`,
    `i${segment.startedMax}`,
    `i${segment.recordedMin}`,
    `i${segment.recordedMax}`,
    `t${segment.costMin}`,
    `t${segment.costMax}`,
    archivedFilter(segments, segment),
    segments.bytesOf(segment).buffer,
  ];
}

/** One call checks so many segments: the most of 16 full files. */
const CHECKED_SEGMENTS = 512;

/** Reads the next archived segments after a seq, a few at a time. A file that cannot be read is thrown as `Unreadable`. */
export function checkArchivedAfter(
  segments: Segments,
  after: number,
  most = CHECKED_SEGMENTS,
): number | null {
  const next = firstSegments(archivedAfter(segments, after), most);
  reduceArchived(segments, (from) => next.filter(({ firstSeq }) => firstSeq >= from), {
    key: "whether files can be read",
    start: () => null,
    add: () => undefined,
  });
  return next.at(-1)?.firstSeq ?? null;
}

/** Reads a file as a whole. Returns why it cannot be read; null if it can, or is no longer needed. */
export async function checkFile(segments: Segments, name: string): Promise<Unreadable | null> {
  const file = segments.list.ranges.find((range) => range.state === STATE.archived && range.name === name);
  if (file?.state !== STATE.archived) return null;
  const read = await fetchSegments(segments, segments.list.segmentsOf(file));
  for (const one of read.values()) if (one instanceof Unreadable) return one;
  return null;
}
