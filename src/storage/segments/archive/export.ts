import { reduceArchived, requireArchived } from "../archived-segments.ts";
import { archivedFilter, readFileIndex } from "../file-index.ts";
import type { SegmentMetadata } from "../metadata.ts";
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
  const chosen: SegmentMetadata[] = [];
  let bytes = 0;
  for (const segment of segments.archived) {
    if (segment.firstSeq <= after) continue;
    if (chosen.length > 0 && bytes + segment.bytes > CARRIED_BYTES) break;
    chosen.push(segment);
    bytes += segment.bytes;
  }
  requireArchived(segments, chosen);
  const rows = chosen.map((segment) => cellsOf(segments, segment));
  return { rows, last: chosen.at(-1)?.firstSeq ?? null };
}

function cellsOf(segments: Segments, segment: SegmentMetadata): CarriedCell[] {
  if (segment.place === undefined) throw new Error("only archived segments are carried");
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
    archivedFilter(readFileIndex(segments, segment.place.file), segment),
    segments.bytesOf(segment).buffer,
  ];
}

/** One call checks so many segments: about 128 files, each of which is one request to the bucket. */
const CHECKED_SEGMENTS = 512;

/** Reads the next archived segments after a seq, a few at a time. A file that cannot be read is thrown as `Unreadable`. */
export function checkArchivedAfter(
  segments: Segments,
  after: number,
  most = CHECKED_SEGMENTS,
): number | null {
  const next = segments.archived.filter(({ firstSeq }) => firstSeq > after).slice(0, most);
  reduceArchived(segments, next, {
    key: "whether files can be read",
    start: () => null,
    add: () => undefined,
  });
  return next.at(-1)?.firstSeq ?? null;
}
