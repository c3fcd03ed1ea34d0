import type { SegmentPlace } from "./layout.ts";
import { type SegmentMetadata, STATE } from "./metadata.ts";
import { nameProbe } from "./name-filter.ts";
import { segmentsWithNames } from "./table.ts";

/** A few MB. */
const MOST_KNOWN = 50_000;

interface SegmentAnswers {
  /** True if a segment may contain the names. The metadata of a segment that changes is replaced by others. */
  readonly mayHave: WeakMap<SegmentMetadata, boolean>;
  size: number;
}

/**
 * Tells which segments may contain rows with some names, by their filters. Answers are kept in memory: the filters of a
 * thousand segments are 8 MB, and a page asks about the same name several times.
 */
export class NamedSegments {
  readonly #place: SegmentPlace;
  readonly #known = new Map<string, SegmentAnswers>();

  constructor(place: SegmentPlace) {
    this.#place = place;
  }

  among(names: readonly string[], segments: readonly SegmentMetadata[]): readonly SegmentMetadata[] {
    const key = JSON.stringify(names);
    const known = this.#known.get(key) ?? { mayHave: new WeakMap(), size: 0 };
    this.#known.delete(key);
    this.#known.set(key, known);
    const { mayHave } = known;
    const unknown = segments.filter((segment) => !mayHave.has(segment));
    if (unknown.length > 0) {
      const found = this.#read(names, unknown);
      for (const segment of unknown) mayHave.set(segment, found.has(segment.firstSeq));
      known.size += unknown.length;
      this.#makeRoom();
    }
    return segments.filter((segment) => mayHave.get(segment) === true);
  }

  #read(names: readonly string[], segments: readonly SegmentMetadata[]): ReadonlySet<number> {
    const probe = nameProbe(names);
    const seqsOf = (state: SegmentMetadata["state"]) =>
      segments.filter((segment) => segment.state === state).map(({ firstSeq }) => firstSeq);
    return new Set([
      ...segmentsWithNames(this.#place, probe, { table: "blocks", seqs: seqsOf(STATE.rows) }),
      ...segmentsWithNames(this.#place, probe, { table: "file_segments", seqs: seqsOf(STATE.archived) }),
    ]);
  }

  /** The names that were asked for longest ago make room. */
  #makeRoom(): void {
    let all = [...this.#known.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.#known) {
      if (all <= MOST_KNOWN) return;
      this.#known.delete(key);
      all -= size;
    }
  }
}
