import {
  type ArchivedFile,
  type ArchivedSegment,
  type IsWanted,
  lastSeqOf,
  type SegmentMetadata,
  STATE,
  type StoredRange,
} from "./metadata.ts";

/** Segments of files that stay in memory after they were read: about 2 MB. */
const MOST_OPENED = 4096;

/**
 * Every segment, in the order of their rows. In memory are those that the object stores, and one range for each file: the segments of
 * a file are read when somebody comes to them.
 */
export class SegmentList {
  readonly ranges: StoredRange[];
  readonly #readFile: (file: ArchivedFile) => readonly ArchivedSegment[];
  /** Those that were needed last come last. */
  readonly #opened = new Map<ArchivedFile, readonly ArchivedSegment[]>();
  #countOpened = 0;

  constructor(ranges: StoredRange[], readFile: (file: ArchivedFile) => readonly ArchivedSegment[]) {
    this.ranges = ranges;
    this.#readFile = readFile;
  }

  /** The number of segments of files that are in memory. */
  get countOpened(): number {
    return this.#countOpened;
  }

  /** The segments with a row from a seq on, as far as they are wanted. */
  *forward(isWanted: IsWanted, fromSeq = 0): Generator<SegmentMetadata, void> {
    for (let at = this.#indexFrom(fromSeq); at < this.ranges.length; at += 1) {
      for (const segment of this.#wantedIn(at, isWanted)) if (lastSeqOf(segment) >= fromSeq) yield segment;
    }
  }

  *backward(isWanted: IsWanted): Generator<SegmentMetadata, void> {
    for (let at = this.ranges.length - 1; at >= 0; at -= 1) {
      yield* this.#wantedIn(at, isWanted).toReversed();
    }
  }

  /** The segment that has a seq. */
  with(seq: number): SegmentMetadata | undefined {
    const range = this.rangeWith(seq);
    if (range?.state !== STATE.archived) return range;
    return this.segmentsOf(range).find((segment) => seq <= lastSeqOf(segment));
  }

  rangeWith(seq: number): StoredRange | undefined {
    const range = this.ranges[this.#indexFrom(seq)];
    return range !== undefined && range.firstSeq <= seq ? range : undefined;
  }

  segmentsOf(file: ArchivedFile): readonly ArchivedSegment[] {
    const segments = this.#opened.get(file) ?? this.#readFile(file);
    if (!this.#opened.delete(file)) this.#countOpened += segments.length;
    this.#opened.set(file, segments);
    for (const oldest of this.#opened.keys()) {
      if (this.#countOpened <= MOST_OPENED || oldest === file) break;
      this.#close(oldest);
    }
    return segments;
  }

  /** Ranges that follow one another give way to others. Returns the place of the first. */
  replace(from: readonly StoredRange[], to: readonly StoredRange[]): number {
    const [first] = from;
    const at = first === undefined ? -1 : this.ranges.indexOf(first);
    if (at === -1 || from.some((range, index) => this.ranges[at + index] !== range)) {
      throw new Error("other segments are stored here");
    }
    this.ranges.splice(at, from.length, ...to);
    for (const range of from) if (range.state === STATE.archived) this.#close(range);
    return at;
  }

  #close(file: ArchivedFile): void {
    this.#countOpened -= this.#opened.get(file)?.length ?? 0;
    this.#opened.delete(file);
  }

  #wantedIn(at: number, isWanted: IsWanted): readonly SegmentMetadata[] {
    const range = this.ranges[at];
    if (range === undefined || !isWanted(range)) return [];
    return range.state === STATE.archived ? this.segmentsOf(range).filter(isWanted) : [range];
  }

  /** The place of the first range with a row from a seq on, by binary search. */
  #indexFrom(seq: number): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = this.ranges[middle];
      if (range !== undefined && lastSeqOf(range) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
