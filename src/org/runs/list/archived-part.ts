import type { RunColumns } from "../../../domain/run-segment/columns.ts";
import type { RunRecord } from "../../../domain/run-segment/record.ts";
import { fetchedSoFar } from "../../../storage/needs-fetch.ts";
import { dropFetched, needArchived } from "../segments/archived.ts";
import { runSegments } from "../segments/segments.ts";
import type { SegmentMetadata } from "../segments/metadata.ts";
import { type Found, type PageOrder, TopRuns } from "./order.ts";

/** The first time one segment is fetched, then twice as many each time, because most pages end in the first. */
const MOST_AT_ONCE = 32;
const BYTES_AT_ONCE = 4_194_304;

interface Progress {
  readonly done: Set<number>;
  readonly top: TopRuns;
  atOnce: number;
}

/** The part of a page that comes from archived segments. What was found in one stays, so that each is fetched once. */
export class ArchivedPart {
  readonly #sql: SqlStorage;
  readonly #archived: readonly SegmentMetadata[];
  readonly #order: PageOrder;
  readonly #most: number;
  readonly #progress: Progress;

  constructor(sql: SqlStorage, segments: readonly SegmentMetadata[], order: PageOrder, most: number) {
    this.#sql = sql;
    this.#order = order;
    this.#most = most;
    this.#archived = segments.filter(({ state }) => state === "archived");
    this.#progress = this.#begun();
  }

  get found(): readonly Found[] {
    return this.#progress.top.found;
  }

  take(
    segment: SegmentMetadata,
    wanted: { take(columns: RunColumns, top: TopRuns): void },
    top: TopRuns,
  ): void {
    const { done } = this.#progress;
    if (done.has(segment.firstSeq)) return;
    const columns = runSegments(this.#sql).peek(segment);
    if (columns === null) {
      this.#fetchFrom(segment);
      return;
    }
    const inSegment = new TopRuns(this.#order, this.#most);
    wanted.take(columns, inSegment);
    for (const found of inSegment.found) {
      const kept = { ...found, columns: new KeptRun(found) };
      this.#progress.top.take(kept);
      top.take(kept);
    }
    done.add(segment.firstSeq);
    dropFetched(segment);
  }

  #fetchFrom(segment: SegmentMetadata): void {
    const from = this.#archived.indexOf(segment);
    const next = this.#archived.slice(from).filter(({ firstSeq }) => !this.#progress.done.has(firstSeq));
    let bytes = 0;
    const some = next
      .slice(0, this.#progress.atOnce)
      .filter((one, at) => (bytes += one.bytes) <= BYTES_AT_ONCE || at === 0);
    this.#progress.atOnce = Math.min(MOST_AT_ONCE, this.#progress.atOnce * 2);
    needArchived(this.#sql, some);
  }

  /** A segment may have left the archive since. Then the page begins anew. */
  #begun(): Progress {
    const make = (): Progress => ({ done: new Set(), top: new TopRuns(this.#order, this.#most), atOnce: 1 });
    const brought = fetchedSoFar();
    if (this.#archived.length === 0 || brought === null) return make();
    const there = brought.keep(PAGE, make);
    const seqs = new Set(this.#archived.map(({ firstSeq }) => firstSeq));
    if ([...there.done].every((seq) => seqs.has(seq))) return there;
    brought.drop(PAGE);
    return brought.keep(PAGE, make);
  }
}

/** A call reads one page. */
const PAGE = "a page of runs";

/** A run without the rest of its segment. */
class KeptRun {
  readonly #run: RunRecord;
  readonly #characters: number;

  constructor({ columns, at }: Pick<Found, "columns" | "at">) {
    this.#run = columns.run(at);
    this.#characters = columns.charactersOf(at);
  }

  run(): RunRecord {
    return this.#run;
  }

  charactersOf(): number {
    return this.#characters;
  }
}
