import { type Block, partitionOf, partition, findIn } from "./block.ts";
import { BloomFilter } from "./bloom-filter.ts";
import type { HashProbe } from "./probe.ts";
import { deleteBlocks, type IndexTables, readBlocks, writeBlock } from "./stored-blocks.ts";
import { deleteFilter, readFilter, writeFilter } from "./stored-filters.ts";
import { insertRow } from "../rows.ts";

/** This many segments of one level become one of the next, and each of their blocks becomes this many blocks. */
export const FAN = 8;
const FAN_BITS = 3;
const FIRST_BITS = 2;
/**
 * The bits of a filter per entry, by level. For the last levels, with two and seventeen million runs per segment,
 * filters would take too much of an object's 128 MB: there a few more blocks are read, or one for each id.
 */
const BITS_PER_ENTRY = [24, 24, 24, 12];
/** From this level on, with a quarter of a million rows per segment, the filter of a segment may also be stored whole. */
const LARGE_LEVEL = 2;
/** More than the blocks of any segment. */
const PLACES = 2 ** 26;
/** How many blocks of a deleted segment are removed at a time. */
const REMOVED_AT_ONCE = 64;

const WORD_BYTES = 4;
const ANYTHING = new BloomFilter(0, 0);

export type SegmentRow = {
  segment: number;
  level: number;
  first_seq: number;
  last_seq: number;
  /** `making`: blocks are still to be written. `gone`: they are being removed. */
  state: "made" | "making" | "gone";
  /** The progress of making or removing it. */
  step: number;
};

/** An index, and the number of entries in its segments of level 0. */
export interface IndexContext {
  readonly sql: SqlStorage;
  readonly tables: IndexTables;
  readonly ofFirstLevel: number;
}

/** A number that may be in a block, whose seqs are relative to the first. */
interface Suspect {
  readonly number: number;
  readonly place: number;
  readonly firstSeq: number;
}

/** Looks up suspects, and reads each of their blocks once. */
export function findSuspects(sql: SqlStorage, tables: IndexTables, suspects: readonly Suspect[]): number[] {
  if (suspects.length === 0) return [];
  const places = new Set(suspects.map(({ place }) => place));
  const read = readBlocks(sql, tables, [...places]);
  const found: number[] = [];
  for (const { number, place, firstSeq } of suspects) {
    const words = read.get(place);
    if (words === undefined) throw new MissingBlock(tables, place);
    findIn({ words, firstSeq }, number, found);
  }
  return found;
}

/** The index is damaged, and must be built anew. */
export class MissingBlock extends Error {
  override readonly name = "MissingBlock";

  constructor({ name }: IndexTables, place: number) {
    super(`block ${place} of the index ${name} is missing`);
  }
}

/**
 * The ids of a range of rows, by number: blocks of entries in the database, with filters in memory of what they
 * certainly lack.
 */
export class Segment {
  readonly #sql: SqlStorage;
  readonly #tables: IndexTables;
  readonly #row: SegmentRow;
  readonly #wordsEach: number;
  /** Null if it is stored, and not read yet. */
  #filter: BloomFilter | null;
  /** How many blocks existed when it was read. */
  #found = 0;

  private constructor({ sql, tables, ofFirstLevel }: IndexContext, row: SegmentRow) {
    this.#sql = sql;
    this.#tables = tables;
    this.#row = row;
    const bitsEach = (ofFirstLevel / 2 ** FIRST_BITS) * (BITS_PER_ENTRY[row.level] ?? 0);
    this.#wordsEach = Math.ceil(bitsEach / 32);
    this.#filter = null;
  }

  /** With room for all blocks, and nothing in it. */
  #newFilter(): BloomFilter {
    return this.#row.state === "gone" ? ANYTHING : new BloomFilter(this.#bits, this.#wordsEach);
  }

  /** `filterBytes` is the length of its filter, if that has rows of its own. */
  static read(index: IndexContext, row: SegmentRow, filterBytes: number): Segment {
    const segment = new Segment(index, row);
    if (segment.#hasStored(filterBytes)) segment.#found = segment.#blocks;
    else segment.#readBlocks();
    return segment;
  }

  static create(index: IndexContext, row: SegmentRow): Segment {
    insertRow(index.sql, `${index.tables.name}_segments`, row);
    const segment = new Segment(index, row);
    segment.#filter = segment.#newFilter();
    return segment;
  }

  get row(): Readonly<SegmentRow> {
    return this.#row;
  }

  get #bits(): number {
    return FIRST_BITS + FAN_BITS * this.#row.level;
  }

  get #blocks(): number {
    return 2 ** this.#bits;
  }

  #place(block: number): number {
    return this.#row.segment * PLACES + block;
  }

  /** Returns whether all expected blocks exist. */
  get isWhole(): boolean {
    const { state, step } = this.#row;
    return state === "gone" || this.#found === (state === "made" ? this.#blocks : step * FAN);
  }

  get #isLarge(): boolean {
    return this.#row.level >= LARGE_LEVEL;
  }

  /**
   * Returns whether the filter has rows of its own. They are written once the segment is made, so it has all its
   * blocks.
   */
  #hasStored(filterBytes: number): boolean {
    if (!this.#isLarge || this.#row.state !== "made") return false;
    return filterBytes === this.#blocks * this.#wordsEach * WORD_BYTES;
  }

  /** Reads the parts of the filter from all blocks. */
  #readBlocks(): BloomFilter {
    const filter = (this.#filter = this.#newFilter());
    if (this.#row.state === "gone") return filter;
    const rows = this.#sql.exec<{ block: number; filter: ArrayBuffer }>(
      `SELECT place - ?1 AS block, filter FROM ${this.#tables.name}_blocks WHERE place >= ?1 AND place < ?2`,
      this.#place(0),
      this.#place(this.#blocks),
    );
    this.#found = 0;
    for (const { block, filter: part } of rows) if (filter.setPart(block, part)) this.#found += 1;
    // The stored part of the filter as a whole is missing or damaged.
    if (this.#row.state === "made" && this.isWhole) this.#keepWhole(filter);
    return filter;
  }

  #keepWhole(filter: BloomFilter): void {
    if (this.#isLarge) writeFilter(this.#sql, this.#tables, this.#row, filter.bytes);
  }

  /** Returns whether `read` has something to read. Until then, every number may be here. */
  get isUnread(): boolean {
    return this.#filter === null;
  }

  read(): BloomFilter {
    if (this.#filter !== null) return this.#filter;
    const filter = this.#newFilter();
    if (!filter.setAll(readFilter(this.#sql, this.#tables, this.#row))) return this.#readBlocks();
    this.#filter = filter;
    return filter;
  }

  /** Where to look for the numbers that may be here. */
  suspects(sought: HashProbe): Suspect[] {
    const { first_seq: firstSeq } = this.#row;
    const numbers = this.#filter?.among(sought) ?? [...sought.numbers];
    return numbers.map((number) => ({
      number,
      place: this.#place(partitionOf(number, this.#bits)),
      firstSeq,
    }));
  }

  #read(at: number): Block {
    const place = this.#place(at);
    const words = readBlocks(this.#sql, this.#tables, [place]).get(place);
    if (words === undefined) throw new MissingBlock(this.#tables, place);
    return { words, firstSeq: this.#row.first_seq };
  }

  /** Writes all blocks of a segment of the first level. */
  fill(all: Block): void {
    this.#write([all], 0, this.#blocks, 0);
  }

  /** Writes the blocks that replace one block of each segment below, without rows before the oldest existing one. */
  mergeOn(below: readonly Segment[], oldestSeq: number): void {
    const { step } = this.#row;
    this.#write(
      below.map((segment) => segment.#read(step)),
      step * FAN,
      FAN,
      oldestSeq,
    );
    const isLast = (step + 1) * FAN === this.#blocks;
    this.#change(isLast ? "made" : "making", isLast ? 0 : step + 1);
    if (isLast) this.#keepWhole(this.read());
  }

  end(): void {
    if (this.#row.state === "gone") return;
    this.#filter = ANYTHING;
    if (this.#isLarge) deleteFilter(this.#sql, this.#tables, this.#row.segment);
    this.#change("gone", 0);
  }

  /** Removes a part of a deleted segment. True if nothing is left of it. */
  removeOn(): boolean {
    const { segment, step } = this.#row;
    const until = Math.min(step + REMOVED_AT_ONCE, this.#blocks);
    deleteBlocks(this.#sql, this.#tables, this.#place(step), this.#place(until));
    if (until < this.#blocks) this.#change("gone", until);
    else this.#sql.exec(`DELETE FROM ${this.#tables.name}_segments WHERE segment = ?`, segment);
    return until === this.#blocks;
  }

  #write(given: readonly Block[], from: number, count: number, oldestSeq: number): void {
    const dealt = partition(given, {
      bits: this.#bits,
      from,
      count,
      firstSeq: this.#row.first_seq,
      oldestSeq,
    });
    const all = this.read();
    for (const [index, { words }] of dealt.entries()) {
      all.add(words.subarray(0, words.length / 2));
      const filter = all.part(from + index);
      writeBlock(this.#sql, this.#tables, { place: this.#place(from + index), filter, words });
    }
  }

  #change(state: SegmentRow["state"], step: number): void {
    this.#row.state = state;
    this.#row.step = step;
    this.#sql.exec(
      `UPDATE ${this.#tables.name}_segments SET state = ?, step = ? WHERE segment = ?`,
      state,
      step,
      this.#row.segment,
    );
  }
}
