import type { HashKey } from "../../../domain/id-index/keyed-number.ts";
import { numberOf } from "../../../domain/id-index/number.ts";
import { Recent } from "../../../domain/id-index/recent.ts";
import type { Sought } from "../../../domain/id-index/sought.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { idKey } from "./key.ts";
import { FAN, findSuspects, Segment, type SegmentRow } from "./segment.ts";

/** How many runs are kept in memory before they become a segment. */
const RECENT = 4096;
/** Of a merge, at a time: four times what it takes to end before the next is due. */
const STEPS = 2;
/** Of segments that are gone, at a time: some three times as many as become gone. */
const REMOVALS = 4;

/**
 * Finds runs by their ids, at a cost that hardly grows with their number, whatever the ids look like. In an index of the
 * database, each id that does not sort by time lies on a page of its own, which is read, logged and written back: with a
 * million runs, twice what all the rest of recording one costs.
 *
 * The latest runs are known in memory alone, and read from their rows when the object wakes. Every few thousand become a
 * segment, and eight segments one of the next level, a few blocks at a time, so that no call waits for a long merge. Each
 * segment tells from memory which ids it surely lacks: a new id costs no read.
 */
class RunIds {
  readonly #sql: SqlStorage;
  readonly #size: number;
  readonly #recent: Recent;
  readonly #blocks: ReturnType<typeof runBlocks>;
  readonly #key: HashKey | null;
  #segments: Segment[];
  /** Of the last run that is stored: the next gets one more. */
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

  /** The seqs of all runs that may have one of these ids: each that has, and hardly any other. */
  find(sought: Sought): number[] {
    const made = this.#segments.filter(({ row }) => row.state === "made");
    const suspects = made.flatMap((segment) => segment.suspects(sought));
    return [...this.#recent.find(sought.numbers), ...findSuspects(this.#sql, suspects)];
  }

  /** Notes runs that were just stored, in this order. */
  add(ids: readonly string[]): void {
    for (const id of ids) this.#add(numberOf(id, this.#key), this.#lastSeq + 1);
  }

  /**
   * Whether this is what is stored. Runs that were noted and rolled back are forgotten; where more has changed, all must
   * be read anew. Segments change only together with the newest of them, and seqs have no gaps: the ends stand for all.
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

  /** The newest segment, the last run, and the first that is in no segment. */
  #stored(): { readonly firstSeq: number | null; readonly lastSeq: number; readonly newest: number } {
    const { newest } = this.#sql
      .exec<{ newest: number }>("SELECT IFNULL(MAX(segment), 0) AS newest FROM run_id_segments")
      .one();
    const { firstSeq, lastSeq } = this.#blocks;
    const next = this.#lastOfSegments + 1;
    return { firstSeq: lastSeq < next ? null : Math.max(firstSeq, next), lastSeq, newest };
  }

  /**
   * When all runs are gone, the seqs begin anew: nothing may be known by the old ones. And segments that are not whole, or
   * not of this version's sizes, are made anew from the runs.
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

  /** Makes a segment of what is in memory, and goes on with what is to be done for those that there are. */
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

  /** A few steps towards one segment of the next level from the oldest of this one. */
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

/** Asked for anew by whoever uses it: what was rolled back since is not in it any more. */
export function runIds(sql: SqlStorage, size = RECENT): RunIds {
  const there = INDEXES.get(sql);
  if (there?.isCurrent() === true) return there;
  const read = new RunIds(sql, size);
  INDEXES.set(sql, read);
  return read;
}
