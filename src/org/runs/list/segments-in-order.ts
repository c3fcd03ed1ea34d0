import type { RunSegments } from "../segments/segments.ts";
import { isArchived } from "../../../storage/segments/archived-segments.ts";
import {
  type ArchivedSegment,
  type IsWanted,
  type RowRange,
  type SegmentMetadata,
  STATE,
  type StoredRange,
} from "../../../storage/segments/metadata.ts";
import type { PageOrder } from "./order.ts";

interface WantedSegments {
  readonly order: PageOrder;
  readonly isWanted: IsWanted;
}

/**
 * The segments of a list, in the order of their best run. Most pages end in the first few, so the segments of a file are read
 * when the best run of the file comes next, and each segment is known once it was asked for.
 */
export class SegmentsInOrder implements Iterable<SegmentMetadata> {
  readonly #known: SegmentMetadata[] = [];
  readonly #rest: Iterator<SegmentMetadata, void>;

  constructor(store: RunSegments, ranges: readonly StoredRange[], wanted: WantedSegments) {
    this.#rest = inOrder(store, ranges, wanted);
  }

  *[Symbol.iterator](): Generator<SegmentMetadata, void> {
    yield* this.#from(0);
  }

  /** The archived ones from one on that are needed. */
  *archivedFrom(
    first: ArchivedSegment,
    isNeeded: (segment: ArchivedSegment) => boolean,
  ): Generator<ArchivedSegment, void> {
    for (const segment of this.#from(this.#known.lastIndexOf(first))) {
      if (isArchived(segment) && isNeeded(segment)) yield segment;
    }
  }

  *#from(first: number): Generator<SegmentMetadata, void> {
    for (let at = first; ; at += 1) {
      const segment = this.#known[at] ?? this.#readNext();
      if (segment === null) return;
      yield segment;
    }
  }

  #readNext(): SegmentMetadata | null {
    const next = this.#rest.next();
    if (next.done === true) return null;
    this.#known.push(next.value);
    return next.value;
  }
}

function* inOrder(
  store: RunSegments,
  ranges: readonly StoredRange[],
  { order, isWanted }: WantedSegments,
): Generator<SegmentMetadata, void> {
  const byBest = (one: RowRange, other: RowRange) =>
    order.compareKeys(order.bestOf(one), order.bestOf(other));
  const files = ranges.filter((range) => range.state === STATE.archived).sort(byBest);
  const segments: SegmentMetadata[] = ranges.filter((range) => range.state !== STATE.archived);
  segments.sort(byBest);
  let [nextFile, next] = [0, 0];
  for (;;) {
    const [file, segment] = [files[nextFile], segments[next]];
    if (file !== undefined && (segment === undefined || byBest(file, segment) <= 0)) {
      nextFile += 1;
      segments.splice(0, next, ...store.list.segmentsOf(file).filter(isWanted));
      segments.sort(byBest);
      next = 0;
    } else if (segment !== undefined) {
      next += 1;
      yield segment;
    } else return;
  }
}
