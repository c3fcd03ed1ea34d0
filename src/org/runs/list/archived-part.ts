import type { RunColumns } from "../../../domain/run/segment/columns.ts";
import { dropFetched, requireArchived, progressOf } from "../../../storage/segments/archived-segments.ts";
import type { ArchivedSegment, SegmentMetadata } from "../../../storage/segments/metadata.ts";
import type { RunSegments } from "../segments/segments.ts";
import { type FoundRun, readAlone, type PageOrder, TopRuns } from "./order.ts";
import type { SegmentsInOrder } from "./segments-in-order.ts";

/** The first time one segment is fetched, then twice as many each time, because most pages end in the first. */
const MOST_AT_ONCE = 32;
const BYTES_AT_ONCE = 4_194_304;

interface PageAsk {
  /** As filters of names have them. */
  readonly names: readonly string[];
  readonly order: PageOrder;
  /** How many runs are found. */
  readonly most: number;
}

interface Progress {
  readonly done: Set<number>;
  readonly top: TopRuns;
  atOnce: number;
}

/**
 * The part of a page that comes from archived segments. Runs that were found in one segment stay in memory, so that
 * each is fetched once.
 */
export class ArchivedPart {
  readonly #store: RunSegments;
  readonly #segments: SegmentsInOrder;
  readonly #names: readonly string[];
  readonly #order: PageOrder;
  readonly #most: number;
  readonly #progress: Progress;

  /** Of these segments those with all these names are read. */
  constructor(store: RunSegments, segments: SegmentsInOrder, page: PageAsk) {
    const { names, order, most } = page;
    this.#store = store;
    this.#names = names;
    this.#order = order;
    this.#most = most;
    this.#segments = segments;
    this.#progress = progressOf<Progress>(store, PAGE, () => ({
      done: new Set(),
      top: new TopRuns(order, most),
      atOnce: 1,
    }));
  }

  get found(): readonly FoundRun[] {
    return this.#progress.top.found;
  }

  take(
    segment: ArchivedSegment,
    wanted: { take(columns: RunColumns, top: TopRuns): void },
    top: TopRuns,
  ): void {
    const { done } = this.#progress;
    if (done.has(segment.firstSeq)) return;
    const columns = this.#store.peek(segment);
    if (columns === null) {
      this.#fetchFrom(segment);
      return;
    }
    const inSegment = new TopRuns(this.#order, this.#most);
    wanted.take(columns, inSegment);
    for (const found of inSegment.found) {
      const kept = { ...found, columns: readAlone(found) };
      this.#progress.top.take(kept);
      top.take(kept);
    }
    done.add(segment.firstSeq);
    dropFetched(segment);
  }

  #fetchFrom(segment: ArchivedSegment): void {
    const { done } = this.#progress;
    const isNeeded = ({ firstSeq }: ArchivedSegment) => !done.has(firstSeq);
    const next = this.#segments.archivedFrom(segment, isNeeded);
    const some: SegmentMetadata[] = [];
    let bytes = 0;
    for (const one of this.#store.eachWithNames(this.#names, next)) {
      bytes += one.bytes;
      if (some.length > 0 && bytes > BYTES_AT_ONCE) break;
      some.push(one);
      if (some.length >= this.#progress.atOnce) break;
    }
    this.#progress.atOnce = Math.min(MOST_AT_ONCE, this.#progress.atOnce * 2);
    requireArchived(this.#store, some);
  }
}

/** A call reads one page. */
const PAGE = "a page of runs";
