import { RecentKeys } from "./recent-keys.ts";
import type { HashProbe } from "./probe.ts";
import type { IndexTables } from "./stored-blocks.ts";
import { filterLengths } from "./stored-filters.ts";
import { FAN, findSuspects, MissingBlock, type IndexContext, Segment, type SegmentRow } from "./segment.ts";

/** How many rows are kept in memory before they become a segment. */
export const RECENT = 4096;
/** Merge steps at a time: four times what is needed to finish before the next is due. */
const STEPS = 2;
/** Removal steps at a time: about three times as many as are added. */
const REMOVALS = 4;

/** So few ids are looked up in a block of each segment whose filter is not read yet. */
const FEW = 8;

/**
 * Filters of large segments take longer to read than all else that an object needs when it wakes. So a call with few ids reads
 * one of them, or none if it is the first, and is not held up by the others. A call with many ids needs all.
 */
function readSome(segments: readonly Segment[], ids: number, isFirst: boolean): void {
  const unread = segments.filter(({ isUnread }) => isUnread);
  const [next] = isFirst ? [] : unread;
  for (const segment of ids <= FEW ? [next] : unread) segment?.read();
}

/** Rows that are appended with rising seqs and deleted from the oldest on, as they are stored. */
export interface IndexedRows {
  /**
   * The seqs of the oldest and of the last row. A last one is known even where all rows are deleted, or seqs start
   * again.
   */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** True if seqs have gaps. */
  readonly hasGaps: boolean;
  /** Changes if ids are hashed in another way. */
  readonly hashSecret: string;
  /** The hashed ids of all rows after a seq, in order. */
  keyHashesAfter(seq: number): Iterable<readonly [seq: number, number: number]>;
}

/**
 * Finds rows by their ids, at a cost that hardly grows with their number, for any kind of ids. In a database index, each
 * id that does not sort by time is on its own page, which is read, logged and written back: with a million runs, that
 * costs twice as much as the rest of recording a run. It is also a row on the bill for each.
 *
 * The latest rows are known only in memory, and read again when the object wakes. Every few thousand become a segment,
 * and eight segments become one of the next level, a few blocks at a time, so that no call waits for a long merge. Each
 * segment knows in memory which ids it certainly lacks, so a new id costs no read.
 */
export class KeyIndex {
  readonly #sql: SqlStorage;
  readonly #tables: IndexTables;
  readonly #size: number;
  readonly #recent: RecentKeys;
  readonly #log: IndexedRows;
  #hashSecret = "";
  #segments: Segment[] = [];
  #isSuspect = false;
  #wasAsked = false;
  /** The seq of the last stored row. The next one is higher. */
  #lastSeq = 0;

  constructor(sql: SqlStorage, tables: IndexTables, log: IndexedRows, size = RECENT) {
    this.#sql = sql;
    this.#tables = tables;
    this.#size = size;
    this.#recent = new RecentKeys(size);
    this.#log = log;
    this.#open();
  }

  #open(): void {
    this.#hashSecret = this.#log.hashSecret;
    const rows = this.#sql
      .exec<SegmentRow>(`SELECT * FROM ${this.#tables.name}_segments ORDER BY segment`)
      .toArray();
    const lengthOf = filterLengths(this.#sql, this.#tables);
    this.#segments = rows.map((row) => Segment.read(this.#place, row, lengthOf(row)));
    const isSound = this.#segments.every(({ isWhole }) => isWhole);
    if (!isSound || this.#stored().lastSeq < this.#lastOfSegments) this.#startOver();
    this.#recent.clear();
    this.#readRecent();
  }

  /** A transaction was rolled back: this is compared with storage when it is next needed. */
  rollBack(): void {
    this.#isSuspect = true;
  }

  /** This, as it is stored: a rollback may have changed it, or all rows may be gone and seqs begin anew. */
  current(): this {
    if (!this.#isSuspect && this.#log.lastSeq === this.#lastSeq) return this;
    this.#isSuspect = false;
    if (!this.#isCurrent()) this.#open();
    return this;
  }

  /** The seqs of all rows that may have one of these ids: each that has one, and hardly any other. */
  find(sought: HashProbe): number[] {
    try {
      return this.#find(sought);
    } catch (error) {
      this.#rebuildAfter(error);
      return this.#find(sought);
    }
  }

  #find(sought: HashProbe): number[] {
    const made = this.#segments.filter(({ row }) => row.state === "made");
    readSome(made, sought.numbers.length, !this.#wasAsked);
    this.#wasAsked = true;
    const suspects = made.flatMap((segment) => segment.suspects(sought));
    return [...this.#recent.find(sought.numbers), ...findSuspects(this.#sql, this.#tables, suspects)];
  }

  /** Adds rows that were just stored, in this order. */
  add(rows: Iterable<{ readonly number: number; readonly seq: number }>): void {
    this.#adding(() => {
      for (const { number, seq } of rows) this.#add(number, seq);
    });
  }

  /** Adds rows that were just stored, in this order, each with the seq after the one before it. */
  addNext(numbers: Uint32Array): void {
    this.#adding(() => {
      for (let at = 0; at < numbers.length; at += 1) this.#add(numbers[at] ?? 0, this.#lastSeq + 1);
    });
  }

  #adding(add: () => void): void {
    try {
      add();
    } catch (error) {
      // They are stored already, so they are in what is built.
      this.#rebuildAfter(error);
    }
  }

  /** Builds everything anew, of all rows that are stored. */
  #rebuildAfter(error: unknown): void {
    if (!(error instanceof MissingBlock)) throw error;
    this.#startOver();
    this.#recent.clear();
    this.#readRecent();
  }

  /**
   * Returns whether this matches storage. Rows that were added and rolled back are dropped. If more has changed,
   * everything must be read again. Segments change only together with the newest of them, and rows are appended, so the
   * ends are enough to compare.
   */
  #isCurrent(): boolean {
    const { firstSeq, lastSeq, newest } = this.#stored();
    if (this.#log.hashSecret !== this.#hashSecret) return false;
    if (newest !== this.#newest || lastSeq > this.#lastSeq || lastSeq < this.#lastOfSegments) return false;
    if (firstSeq !== null && firstSeq < this.#recent.firstSeq) return false;
    if (lastSeq < this.#lastSeq) {
      this.#recent.cutAfter(lastSeq);
      this.#lastSeq = lastSeq;
    }
    return true;
  }

  get #place(): IndexContext {
    return { sql: this.#sql, tables: this.#tables, ofFirstLevel: this.#size };
  }

  get #newest(): number {
    return this.#segments.at(-1)?.row.segment ?? 0;
  }

  get #lastOfSegments(): number {
    const live = this.#segments.filter(({ row }) => row.state !== "gone");
    return Math.max(0, ...live.map(({ row }) => row.last_seq));
  }

  /** The newest segment, the last row, and the first row that is in no segment. */
  #stored(): { readonly firstSeq: number | null; readonly lastSeq: number; readonly newest: number } {
    const { newest } = this.#sql
      .exec<{ newest: number }>(`SELECT IFNULL(MAX(segment), 0) AS newest FROM ${this.#tables.name}_segments`)
      .one();
    const { lastSeq, hasGaps } = this.#log;
    const next = this.#lastOfSegments + 1;
    // The first one is read only where it is compared.
    const firstSeq = hasGaps || lastSeq < next ? null : Math.max(this.#log.firstSeq, next);
    return { firstSeq, lastSeq, newest };
  }

  /**
   * If all rows are deleted, seqs may restart, so nothing may be known under the old ones. Segments that are incomplete, or
   * do not have this version's sizes, are rebuilt from the rows.
   */
  #startOver(): void {
    for (const segment of this.#segments) segment.end();
    this.#create(0, 0, 0, "gone");
  }

  #readRecent(): void {
    this.#lastSeq = this.#lastOfSegments;
    for (const [seq, number] of this.#log.keyHashesAfter(this.#lastSeq)) this.#add(number, seq);
    this.#lastSeq = Math.max(this.#lastSeq, this.#log.lastSeq);
  }

  #add(number: number, seq: number): void {
    this.#recent.add(number, seq);
    this.#lastSeq = seq;
    if (this.#recent.isFull) this.#keepRecent();
  }

  /** Makes a segment of the rows in memory, and continues the work on the existing ones. */
  #keepRecent(): void {
    const { block } = this.#recent;
    this.#create(0, block.firstSeq, this.#lastSeq, "made").fill(block);
    this.#recent.clear();
    const oldest = this.#log.firstSeq;
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
    const segment = Segment.create(this.#place, row);
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
