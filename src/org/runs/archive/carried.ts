import { type Cell, rowLine } from "../../../domain/archive/lines.ts";
import { foldArchived, needArchived } from "../blocks/archived.ts";
import { runBlocks } from "../blocks/blocks.ts";
import type { BlockEntry } from "../blocks/entry.ts";
import { readFileIndex } from "../blocks/files.ts";

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

/** What one call carries, and at least one block. */
const CARRIED_BYTES = 524_288;

interface Carried {
  /** Rows, as lines of an archive. */
  readonly lines: string;
  /** The last block among them. Null: no more follow. */
  readonly last: number | null;
}

function archivedIn(sql: SqlStorage): readonly BlockEntry[] {
  return runBlocks(sql).entries.filter(({ state }) => state === "archived");
}

export function countArchived(sql: SqlStorage): number {
  return archivedIn(sql).length;
}

/** The next archived blocks after the one that begins with a seq, each as its digest says. */
export function carriedAfter(sql: SqlStorage, after: number): Carried {
  const chosen: BlockEntry[] = [];
  let bytes = 0;
  for (const entry of archivedIn(sql)) {
    if (entry.firstSeq <= after) continue;
    if (chosen.length > 0 && bytes + entry.bytes > CARRIED_BYTES) break;
    chosen.push(entry);
    bytes += entry.bytes;
  }
  needArchived(sql, chosen);
  const lines = chosen.map((entry) => rowLine(cellsOf(sql, entry)));
  return { lines: lines.join(""), last: chosen.at(-1)?.firstSeq ?? null };
}

function cellsOf(sql: SqlStorage, entry: BlockEntry): Cell[] {
  if (entry.place === undefined) throw new Error("only archived blocks are carried");
  const { file, names } = entry.place;
  const filter = readFileIndex(sql, file).names.slice(names.offset, names.offset + names.bytes);
  return [
    `i${entry.firstSeq}`,
    "truns",
    `i${entry.runs}`,
    `i${entry.startedMin}`,
    `i${entry.startedMax}`,
    `i${entry.recordedMin}`,
    `i${entry.recordedMax}`,
    `t${entry.costMin}`,
    `t${entry.costMax}`,
    filter.buffer,
    runBlocks(sql).bytesOf(entry).buffer,
  ];
}

/** What one call checks: about 128 files, each of which is one request to the bucket. */
const CHECKED_BLOCKS = 512;

/** Reads the next archived blocks after a seq, a few at a time. A file that cannot be read is thrown as `Unreadable`. */
export function checkArchivedAfter(sql: SqlStorage, after: number, most = CHECKED_BLOCKS): number | null {
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
