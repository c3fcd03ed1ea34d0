import {
  type RowRange,
  type SegmentMetadata,
  STATE,
  type StoredRange,
} from "../../../storage/segments/metadata.ts";
import { type FoundRun, readAlone } from "./order.ts";

/** A run of a page, and the segment that it is in. */
type KeptRun = FoundRun & { readonly segment: SegmentMetadata };

/** The first runs of some segments, for one request. */
interface KeptPage {
  readonly found: readonly KeptRun[];
  /** The ranges that were looked at, all of the object. The metadata of a segment that changes is replaced by others. */
  readonly ranges: WeakSet<StoredRange>;
}

/** Pages over fewer runs are quick. */
export const LEAST_RUNS = 10_000;
const MOST_CHARACTERS = 131_072;
const MOST_PAGES = 16;

const pageCache = new WeakMap<SqlStorage, Map<string, KeptPage>>();

/**
 * What was found for the same request before, if all of that is still where it was: people look at a page again, and what is
 * stored in a segment never changes. Only other segments can have runs that come before these.
 */
export function keptPage(sql: SqlStorage, request: string, ranges: readonly StoredRange[]): KeptPage | null {
  const kept = pageCache.get(sql)?.get(request);
  if (kept === undefined) return null;
  const there = new Set<RowRange>(ranges);
  if (kept.found.every(({ segment }) => there.has(segment))) return kept;
  pageCache.get(sql)?.delete(request);
  return null;
}

interface FoundPage {
  readonly found: readonly FoundRun[];
  readonly ranges: readonly StoredRange[];
  /** The segments that runs are read from. */
  readonly homes: ReadonlyMap<FoundRun["columns"], SegmentMetadata>;
}

/** Returns the same runs, which are read only once. */
export function keepPage(
  sql: SqlStorage,
  request: string,
  { found, ranges, homes }: FoundPage,
): readonly FoundRun[] {
  if (ranges.some(({ state }) => state === STATE.archived)) return found;
  const characters = found.reduce((sum, { columns, at }) => sum + columns.charactersOf(at), 0);
  if (characters > MOST_CHARACTERS) return found;
  const kept = found.flatMap((run): KeptRun[] => {
    const segment = homes.get(run.columns);
    if (segment === undefined) return [];
    const { at } = run;
    const alone = readAlone(run);
    return [{ key: run.key, id: alone.rowAlone(at).id, columns: alone, at, segment }];
  });
  if (kept.length < found.length) return found;
  const pages = pageCache.get(sql) ?? new Map<string, KeptPage>();
  pageCache.set(sql, pages);
  pages.delete(request);
  pages.set(request, { found: kept, ranges: new WeakSet(ranges) });
  // The oldest make room.
  const [oldest] = pages.keys();
  if (pages.size > MOST_PAGES && oldest !== undefined) pages.delete(oldest);
  return kept;
}
