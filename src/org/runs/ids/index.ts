import type { HashKey } from "../../../domain/id-index/keyed-number.ts";
import { numberOf } from "../../../domain/id-index/number.ts";
import { Recent } from "../../../domain/id-index/recent.ts";
import type { Sought } from "../../../domain/id-index/sought.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { idKey } from "./key.ts";
import { FAN, findSuspects, Segment, type SegmentRow } from "./segment.ts";

/** How many runs are kept in memory before they become a segment. */
const RECENT = 4096;
/** Merge steps at a time: four times what is needed to finish before the next is due. */
const STEPS = 2;
/** Removal steps at a time: about three times as many as are added. */
const REMOVALS = 4;

/**
 * Finds runs by their ids, at a cost that hardly grows with their number, for any kind of ids. In a database index, each
 * id that does not sort by time is on its own page, which is read, logged and written back: with a million runs, that
 * costs twice as much as the rest of recording a run.
 *
 * The latest runs are known only in memory, and read from their rows when the object wakes. Every few thousand become a
 * segment, and eight segments become one of the next level, a few blocks at a time, so that no call waits for a long
 * merge. Each segment knows in memory which ids it certainly lacks, so a new id costs no read.
 */
class RunIds {
  readonly #sql: SqlStorage;
  readonly #size: number;
  readonly #recent: Recent;
  readonly #blocks: ReturnType<typeof runBlocks>;
  readonly #key: HashKey | null;
  #segments: Segment[];
  /** The seq of the last stored run. The next one is one higher. */
  #lastSeq = 0;

  constructor(sql: SqlStorage, size: number) {
    this.#sql = sql;
    this.#size = size;
    this.#recent = new Recent(size);
    this.#blocks = runBlocks(sql);
    this.#key = idKey(sql);
    const rows = sql.exec<SegmentRow>("SELECT * FROM run_id_segments ORDER BY segment").toArray();
    this.#segments = rows.map((row) => Segment.read(sql, row, size));
    const isSound = this.#segments.every(({ isWhole }) => isWhole);
    if (!isSound || this.#stored().lastSeq < this.#lastOfSegments) this.#startOver();
    this.#readRecent();
  }

  /** The seqs of all runs that may have one of these ids: each that has one, and hardly any other. */
  find(sought: Sought): number[] {
    const made = this.#segments.filter(({ row }) => row.state === "made");
    const suspects = made.flatMap((segment) => segment.suspects(sought));
    return [...this.#recent.find(sought.numbers), ...findSuspects(this.#sql, suspects)];
  }

  /** Adds runs that were just stored, in this order. */
  add(ids: readonly string[]): void {
    for (const id of ids) this.#add(numberOf(id, this.#key), this.#lastSeq + 1);
  }

  /**
   * Whether this matches storage. Runs that were added and rolled back are dropped. If more has changed, everything
   * must be read again. Segments change only together with the newest of them, and seqs have no gaps, so the ends are
   * enough to compare.
   */
  isCurrent(): boolean {
    const { firstSeq, lastSeq, newest } = this.#stored();
    if (idKey(this.#sql)?.join() !== this.#key?.join()) return false;
    if (newest !== this.#newest || lastSeq > this.#lastSeq || lastSeq < this.#lastOfSegments) return false;
    if (firstSeq !== null && firstSeq < this.#recent.firstSeq) return false;
    if (lastSeq < this.#lastSeq) {
      this.#recent.cutAfter(lastSeq);
      this.#lastSeq = lastSeq;
    }
    return true;
  }

  get #newest(): number {
    return this.#segments.at(-1)?.row.segment ?? 0;
  }

  get #lastOfSegments(): number {
    const live = this.#segments.filter(({ row }) => row.state !== "gone");
    return Math.max(0, ...live.map(({ row }) => row.last_seq));
  }

  /** The newest segment, the last run, and the first run that is in no segment. */
  #stored(): { readonly firstSeq: number | null; readonly lastSeq: number; readonly newest: number } {
    const { newest } = this.#sql
      .exec<{ newest: number }>("SELECT IFNULL(MAX(segment), 0) AS newest FROM run_id_segments")
      .one();
    const { firstSeq, lastSeq } = this.#blocks;
    const next = this.#lastOfSegments + 1;
    return { firstSeq: lastSeq < next ? null : Math.max(firstSeq, next), lastSeq, newest };
  }

  /**
   * If all runs are deleted, seqs restart, so nothing may be known under the old ones. Segments that are incomplete, or
   * do not have this version's sizes, are rebuilt from the runs.
   */
  #startOver(): void {
    for (const segment of this.#segments) segment.end();
    this.#create(0, 0, 0, "gone");
  }

  #readRecent(): void {
    this.#lastSeq = this.#lastOfSegments;
    for (const [seq, number] of this.#blocks.numbersAfter(this.#lastSeq, this.#key)) this.#add(number, seq);
  }

  #add(number: number, seq: number): void {
    this.#recent.add(number, seq);
    this.#lastSeq = seq;
    if (this.#recent.isFull) this.#keepRecent();
  }

  /** Makes a segment of the runs in memory, and continues the work on the existing ones. */
  #keepRecent(): void {
    const { block } = this.#recent;
    this.#create(0, block.firstSeq, this.#lastSeq, "made").fill(block);
    this.#recent.clear();
    const oldest = this.#blocks.firstSeq;
    for (const segment of this.#segments) if (segment.row.last_seq < oldest) segment.end();
    const top = Math.max(...this.#segments.map(({ row }) => row.level));
    for (let level = 0; level <= top; level += 1) this.#mergeOn(level, oldest);
    for (let part = 0; part < REMOVALS; part += 1) this.#removeOn();
  }

  #removeOn(): void {
    const gone = this.#segments.find(({ row }) => row.state === "gone");
    if (gone?.removeOn() === true) this.#segments = this.#segments.filter((segment) => segment !== gone);
  }

  #create(level: number, firstSeq: number, lastSeq: number, state: SegmentRow["state"]): Segment {
    const row = { segment: this.#newest + 1, level, first_seq: firstSeq, last_seq: lastSeq, state, step: 0 };
    const segment = Segment.create(this.#sql, row, this.#size);
    this.#segments.push(segment);
    return segment;
  }

  /** A few steps to merge the oldest segments of this level into one of the next. */
  #mergeOn(level: number, oldest: number): void {
    const made = this.#segments.filter(({ row }) => row.state === "made" && row.level === level);
    let above = this.#segments.find(({ row }) => row.state === "making" && row.level === level + 1);
    if (above === undefined) {
      const [first, last] = [made[0], made[FAN - 1]];
      if (first === undefined || last === undefined) return;
      above = this.#create(level + 1, first.row.first_seq, last.row.last_seq, "making");
    }
    const { last_seq } = above.row;
    const below = made.filter(({ row }) => row.last_seq <= last_seq);
    for (let step = 0; step < STEPS && above.row.state === "making"; step += 1) above.mergeOn(below, oldest);
    if (above.row.state === "made") for (const segment of below) segment.end();
  }
}

const INDEXES = new WeakMap<SqlStorage, RunIds>();

/** Read again at each use, because a rollback may have changed it. */
export function runIds(sql: SqlStorage, size = RECENT): RunIds {
  const there = INDEXES.get(sql);
  if (there?.isCurrent() === true) return there;
  const read = new RunIds(sql, size);
  INDEXES.set(sql, read);
  return read;
}
