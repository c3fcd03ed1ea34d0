import type { RunBlock } from "../../../domain/run-block/block.ts";
import type { RunRecord } from "../../../domain/run-block/record.ts";
import { fetchedSoFar } from "../../../storage/needs-fetch.ts";
import { dropFetched, needArchived } from "./archived.ts";
import { runBlocks } from "./blocks.ts";
import type { BlockEntry } from "./entry.ts";
import { type Found, type PageOrder, TopRuns } from "./order.ts";

/** The first time one block is fetched, then twice as many each time, because most pages end in the first. */
const MOST_AT_ONCE = 32;
const BYTES_AT_ONCE = 4_194_304;

interface Progress {
  readonly done: Set<number>;
  readonly top: TopRuns;
  atOnce: number;
}

/** The part of a page that comes from archived blocks. What was found in one stays, so that each is fetched once. */
export class ArchivedPart {
  readonly #sql: SqlStorage;
  readonly #archived: readonly BlockEntry[];
  readonly #order: PageOrder;
  readonly #most: number;
  readonly #progress: Progress;

  constructor(sql: SqlStorage, entries: readonly BlockEntry[], order: PageOrder, most: number) {
    this.#sql = sql;
    this.#order = order;
    this.#most = most;
    this.#archived = entries.filter(({ state }) => state === "archived");
    this.#progress = this.#begun();
  }

  get found(): readonly Found[] {
    return this.#progress.top.found;
  }

  take(entry: BlockEntry, wanted: { take(block: RunBlock, top: TopRuns): void }, top: TopRuns): void {
    const { done } = this.#progress;
    if (done.has(entry.firstSeq)) return;
    const block = runBlocks(this.#sql).peek(entry);
    if (block === null) {
      this.#fetchFrom(entry);
      return;
    }
    const inBlock = new TopRuns(this.#order, this.#most);
    wanted.take(block, inBlock);
    for (const found of inBlock.found) {
      const kept = { ...found, block: new KeptRun(found) };
      this.#progress.top.take(kept);
      top.take(kept);
    }
    done.add(entry.firstSeq);
    dropFetched(entry);
  }

  #fetchFrom(entry: BlockEntry): void {
    const from = this.#archived.indexOf(entry);
    const next = this.#archived.slice(from).filter(({ firstSeq }) => !this.#progress.done.has(firstSeq));
    let bytes = 0;
    const some = next
      .slice(0, this.#progress.atOnce)
      .filter((one, at) => (bytes += one.bytes) <= BYTES_AT_ONCE || at === 0);
    this.#progress.atOnce = Math.min(MOST_AT_ONCE, this.#progress.atOnce * 2);
    needArchived(this.#sql, some);
  }

  /** A block may have left the archive since. Then the page begins anew. */
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

/** A run without the rest of its block. */
class KeptRun {
  readonly #run: RunRecord;
  readonly #characters: number;

  constructor({ block, at }: Pick<Found, "block" | "at">) {
    this.#run = block.run(at);
    this.#characters = block.charactersOf(at);
  }

  run(): RunRecord {
    return this.#run;
  }

  charactersOf(): number {
    return this.#characters;
  }
}
