import { type Cell, rowLine } from "../../../domain/archive/lines.ts";
import { foldArchived, needArchived } from "../segments/archived.ts";
import { runSegments } from "../segments/segments.ts";
import type { SegmentMetadata } from "../segments/metadata.ts";
import { readFileIndex } from "../segments/files.ts";

/**
 * Archived runs on their way out of the org's region. They leave as rows of `run_blocks`, as if they had never been archived: the
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

/** What one call carries, and at least one segment. */
const CARRIED_BYTES = 524_288;

interface Carried {
  /** Rows, as lines of an archive. */
  readonly lines: string;
  /** The last segment among them. Null: no more follow. */
  readonly last: number | null;
}

function archivedIn(sql: SqlStorage): readonly SegmentMetadata[] {
  return runSegments(sql).segments.filter(({ state }) => state === "archived");
}

export function countArchived(sql: SqlStorage): number {
  return archivedIn(sql).length;
}

/** The next archived segments after the one that begins with a seq, each as its digest says. */
export function carriedAfter(sql: SqlStorage, after: number): Carried {
  const chosen: SegmentMetadata[] = [];
  let bytes = 0;
  for (const segment of archivedIn(sql)) {
    if (segment.firstSeq <= after) continue;
    if (chosen.length > 0 && bytes + segment.bytes > CARRIED_BYTES) break;
    chosen.push(segment);
    bytes += segment.bytes;
  }
  needArchived(sql, chosen);
  const lines = chosen.map((segment) => rowLine(cellsOf(sql, segment)));
  return { lines: lines.join(""), last: chosen.at(-1)?.firstSeq ?? null };
}

function cellsOf(sql: SqlStorage, segment: SegmentMetadata): Cell[] {
  if (segment.place === undefined) throw new Error("only archived segments are carried");
  const { file, names } = segment.place;
  const filter = readFileIndex(sql, file).names.slice(names.offset, names.offset + names.bytes);
  return [
    `i${segment.firstSeq}`,
    "truns",
    `i${segment.runs}`,
    `i${segment.startedMin}`,
    `i${segment.startedMax}`,
    `i${segment.recordedMin}`,
    `i${segment.recordedMax}`,
    `t${segment.costMin}`,
    `t${segment.costMax}`,
    filter.buffer,
    runSegments(sql).bytesOf(segment).buffer,
  ];
}

/** What one call checks: about 128 files, each of which is one request to the bucket. */
const CHECKED_SEGMENTS = 512;

/** Reads the next archived segments after a seq, a few at a time. A file that cannot be read is thrown as `Unreadable`. */
export function checkArchivedAfter(sql: SqlStorage, after: number, most = CHECKED_SEGMENTS): number | null {
  const next = archivedIn(sql)
    .filter(({ firstSeq }) => firstSeq > after)
    .slice(0, most);
  foldArchived(sql, next, {
    key: "whether files can be read",
    start: () => null,
    add: () => undefined,
  });
  return next.at(-1)?.firstSeq ?? null;
}
