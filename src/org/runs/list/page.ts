import { DIMENSIONS, storedName } from "../../../contract/dimensions.ts";
import { encodeCursor, type ListQuery } from "../../../contract/list.ts";
import { parseRunFilter } from "../../../contract/run-filters.ts";
import type { NameColumn, RunRecord } from "../../../domain/run/segment/record.ts";
import { isCharged } from "../../../domain/meter/is-charged.ts";
import { filterKeys, runSegments } from "../segments/segments.ts";
import { ArchivedPart } from "./archived-part.ts";
import { type FoundRun, type Key, PageOrder, TopRuns } from "./order.ts";
import { keepPage, keptPage, LEAST_RUNS } from "./page-cache.ts";
import { tagIn } from "../../../domain/usage-report/tag.ts";
import type { RunColumns } from "../../../domain/run/segment/columns.ts";
import { type RowRange, type SegmentMetadata, STATE } from "../../../storage/segments/metadata.ts";
import { SegmentsInOrder } from "./segments-in-order.ts";

/** Scanning this many takes 0.1 s. A page that ends there is short or empty, and says where to continue. */
const RUNS_SEEN = 100_000;
/** A page ends at this size, with at least one run, because a run may have as much metadata as a request. */
const PAGE_CHARACTERS = 4_194_304;

const NAME_FILTERS: Readonly<Record<string, NameColumn>> = {
  ...Object.fromEntries(DIMENSIONS.map(({ name, property }) => [name, property])),
  action: "action",
  chain_id: "chainId",
};

const DIMENSION_OF = new Map<string, (typeof DIMENSIONS)[number]>(DIMENSIONS.map((row) => [row.name, row]));

interface PageOfRuns {
  readonly runs: readonly RunRecord[];
  readonly next_cursor: string | null;
}

/** How many characters of a run are stored elsewhere. */
type SizeApart = (run: RunRecord) => number;

interface PageSource {
  readonly apartOf: SizeApart;
  /** Runs that are not listed. */
  readonly without: ReadonlySet<string>;
  /** The number of runs from which on a page stays in memory. */
  readonly keptFrom?: number;
}

/**
 * One page by keyset: the runs after the last one seen, in a total order. Runs recorded in between cause no repeats and
 * no gaps.
 */
export function pageOfRuns(
  sql: SqlStorage,
  query: ListQuery,
  { apartOf, without, keptFrom = LEAST_RUNS }: PageSource,
): PageOfRuns {
  const wanted = new RunPageRequest(query, without);
  const { order } = wanted;
  const top = new TopRuns(order, query.limit + 1);
  const store = runSegments(sql);
  const names = filterKeys(wanted.names);
  const isWanted = (range: RowRange) => wanted.mayBeIn(range);
  const ranges = store.ranges.filter((range) => range.state !== STATE.tombstones && isWanted(range));
  const request = JSON.stringify([query.limit, query.sort, query.after, query.filters]);
  const kept = without.size === 0 ? keptPage(sql, request, ranges) : null;
  for (const found of kept?.found ?? []) top.take(found);
  const homes = new Map<FoundRun["columns"], SegmentMetadata>(
    kept?.found.map(({ columns, segment }) => [columns, segment]),
  );
  const others = ranges.filter((range) => kept?.ranges.has(range) !== true);
  const segments = new SegmentsInOrder(store, others, { order, isWanted });
  const archived = new ArchivedPart(store, segments, { names, order, most: query.limit + 1 });
  for (const found of archived.found) if (!without.has(found.id)) top.take(found);
  let seen = 0;
  let end: Key | null = null;
  for (const segment of store.eachWithNames(names, segments)) {
    const best = order.bestOf(segment);
    if (!top.mayTake(best)) break;
    // A page must make progress. If it skipped everything that it found, it would be requested again.
    const [first] = top.found;
    const isUseful = first === undefined || order.compareKeys(first.key, best) < 0;
    if (seen >= RUNS_SEEN && wanted.isFurther(best) && isUseful) {
      end = best;
      break;
    }
    seen += segment.rows;
    if (segment.state === STATE.archived) {
      archived.take(segment, wanted, top);
      continue;
    }
    const columns = store.columns(segment);
    homes.set(columns, segment);
    wanted.take(columns, top);
  }
  const found =
    end !== null
      ? top.found.filter(({ key }) => order.compareKeys(key, end) < 0)
      : without.size > 0 || seen < keptFrom
        ? top.found
        : keepPage(sql, request, { found: top.found, ranges, homes });
  return cut(query, order, { found, end, apartOf });
}

interface ScannedRuns {
  readonly found: readonly FoundRun[];
  /** Where the page must end. Null if everything was scanned. */
  readonly end: Key | null;
  readonly apartOf: SizeApart;
}

/** The page, and where the next one starts. */
function cut(query: ListQuery, order: PageOrder, { found, end, apartOf }: ScannedRuns): PageOfRuns {
  const runs: RunRecord[] = [];
  let characters = 0;
  for (const { columns, at } of found.slice(0, query.limit)) {
    const run = columns.rowAlone(at);
    characters += columns.charactersOf(at) + apartOf(run);
    if (characters > PAGE_CHARACTERS && runs.length > 0) break;
    runs.push(run);
  }
  const last = found[runs.length - 1];
  if (runs.length < found.length && last !== undefined) {
    return { runs, next_cursor: encodeCursor(query, { value: order.written(last.key), id: last.id }) };
  }
  if (end === null) return { runs, next_cursor: null };
  // Ids are printable, so every one sorts after the empty text and before this one.
  const before = query.sort.descending ? "\u007f" : "";
  return { runs, next_cursor: encodeCursor(query, { value: order.written(end), id: before }) };
}

/** The request for a page. */
class RunPageRequest {
  readonly order: PageOrder;
  /** Null: runs that are stored without one. */
  readonly names: readonly (readonly [column: NameColumn, name: string | null])[];
  readonly #sought: ReturnType<typeof parseRunFilter>;
  readonly #after: { readonly key: Key; readonly id: string } | null;
  readonly #fromMs: number;
  /** Exclusive. */
  readonly #toMs: number;
  readonly #without: ReadonlySet<string>;

  constructor({ sort, filters, after }: ListQuery, without: ReadonlySet<string>) {
    this.#without = without;
    this.order = new PageOrder(sort.field === "cost_usd" ? "cost" : "startedAt", sort.descending);
    const { from, to, ...names } = filters;
    const sought = parseRunFilter(names);
    this.names = [
      ...sought.names.map(([filter, name]) => [columnOf(filter), filterValue(filter, name)] as const),
      ...sought.without.map((filter) => [columnOf(filter), null] as const),
    ];
    this.#sought = sought;
    this.#after = after === null ? null : { key: this.order.read(after.value), id: after.id };
    this.#fromMs = from === undefined ? Number.NEGATIVE_INFINITY : Number(from);
    this.#toMs = to === undefined ? Number.POSITIVE_INFINITY : Number(to);
  }

  /** Returns whether a segment, or one of a file, may have a run of the page. */
  mayBeIn(range: RowRange): boolean {
    if (range.startedMax < this.#fromMs || range.startedMin >= this.#toMs) return false;
    return this.#after === null || this.order.compareKeys(this.order.worstOf(range), this.#after.key) >= 0;
  }

  /** Returns whether a page that ends before this key makes progress. */
  isFurther(key: Key): boolean {
    return this.#after === null || this.order.compareKeys(key, this.#after.key) > 0;
  }

  take(columns: RunColumns, top: TopRuns): void {
    const named = this.#namedIn(columns);
    if (named?.length === 0) return;
    const keys = this.order.keysOf(columns);
    const isWanted = this.#wantedIn(columns);
    const count = named?.length ?? columns.count;
    for (let nth = 0; nth < count; nth += 1) {
      const at = named === null ? nth : (named[nth] ?? 0);
      const key = keys[at] ?? 0;
      // Most runs of a segment come after the page, and of those nothing else is read.
      if (!top.mayTake(key) || !isWanted(at)) continue;
      const found = foundAt(columns, key, at);
      if (this.#without.size > 0 && this.#without.has(found.id)) continue;
      if (this.#after === null || this.order.compare(found, this.#after) > 0) top.take(found);
    }
  }

  /** Whether a run of the segment is in the time, has the tags, and was charged to the limit. */
  #wantedIn(columns: RunColumns): (at: number) => boolean {
    const [isTagged, isChargedAt] = [this.#taggedIn(columns), this.#chargedIn(columns)];
    return (at) => {
      const startedAt = columns.moments("startedAt")[at] ?? 0;
      return startedAt >= this.#fromMs && startedAt < this.#toMs && isTagged(at) && isChargedAt(at);
    };
  }

  /** The places of the runs that have all the names. Null: every run. */
  #namedIn(columns: RunColumns): readonly number[] | null {
    const [first, ...others] = this.names.map(([column, name]) => columns.placesOf(column, name));
    if (first === undefined) return null;
    const sets = others.map((places) => new Set(places));
    return first.filter((at) => sets.every((places) => places.has(at)));
  }

  /** Returns whether a run of the segment has the tags. The same tags are the same text, so each text is read once. */
  #taggedIn(columns: RunColumns): (at: number) => boolean {
    const { tags } = this.#sought;
    if (tags.length === 0) return () => true;
    const known = new Map<string | null, boolean>();
    return (at) => {
      const text = columns.names("tags")[at] ?? null;
      const isTagged = known.get(text) ?? tags.every(({ name, value }) => tagIn(text, name) === value);
      known.set(text, isTagged);
      return isTagged;
    };
  }

  #chargedIn(columns: RunColumns): (at: number) => boolean {
    const { limitId, chargedFrom } = this.#sought;
    if (limitId === null && chargedFrom === null) return () => true;
    let moments: readonly number[] | null = null;
    return (at) =>
      isCharged(this.#sought, () => {
        moments ??= columns.chargedAt;
        return { charges: columns.names("charges")[at] ?? "", chargedAt: moments[at] ?? 0 };
      });
  }
}

/** Its id is read only where two runs have the same key, and for the page. */
function foundAt(columns: RunColumns, key: Key, at: number): FoundRun {
  let id: string | null = null;
  return {
    key,
    get id() {
      return (id ??= columns.idAlone(at));
    },
    columns,
    at,
  };
}

function filterValue(filter: string, name: string): string | null {
  const row = DIMENSION_OF.get(filter);
  return row === undefined ? name : storedName(row, name);
}

function columnOf(filter: string): NameColumn {
  const column = NAME_FILTERS[filter];
  if (column === undefined) throw new Error(`no column for filter ${filter}`);
  return column;
}
