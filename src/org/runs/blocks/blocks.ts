import { RunBlock } from "../../../domain/run-block/block.ts";
import { type HashKey, keyHashOf } from "../../../storage/key-index/key-hash.ts";
import { encodeFrame, encodeRuns } from "../../../domain/run-block/frame.ts";
import { decodeRemains, encodeRemains, type Remains } from "../../../domain/run-block/remains.ts";
import type { RunRecord } from "../../../domain/run-block/record.ts";
import { followRollbacks } from "../../../storage/transactional-cache.ts";
import { archivedBytes, isFetched } from "./archived.ts";
import { archivedNumbers, archivedWithNames } from "./archived-index.ts";
import { type BlockEntry, entryOf, entryOfRemains, extended, lastSeqOf } from "./entry.ts";
import { type Part, partsOf } from "./parts.ts";
import { readArchivedEntries } from "./files.ts";
import { areWorthMerging, GROWING_BYTES, GROWING_RUNS, isSmall } from "./sizes.ts";
import {
  blocksWithNames,
  deleteBlocks,
  filterOf,
  type Named,
  NO_FILTER,
  readBytes,
  readEntries,
  writeBlock,
} from "./table.ts";

const MOST_READ = 4;

/**
 * The runs of an org: rows that each hold many runs, oldest first, numbered without gaps by their seqs. The position of
 * each block is kept in memory.
 */
export class RunBlocks {
  readonly #sql: SqlStorage;
  #entries: BlockEntry[];
  /** The content of the last block, if it can grow. */
  #tail: { readonly entry: BlockEntry; readonly data: Uint8Array<ArrayBuffer> } | null = null;
  /** Entries from here on may differ from storage if the transaction is rolled back. */
  #changedFrom: number;
  #isSuspect = false;
  readonly #read = new Map<BlockEntry, RunBlock>();
  #lastRemains: { readonly entry: BlockEntry; readonly all: readonly Remains[] } | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#entries = readFrom(sql, 0);
    this.#changedFrom = this.#entries.length;
  }

  /** A transaction was rolled back: what it changed is read again when it is next needed. */
  distrust(): void {
    this.#isSuspect = true;
  }

  get entries(): readonly BlockEntry[] {
    if (this.#isSuspect) this.#readChanged();
    return this.#entries;
  }

  get firstSeq(): number {
    return this.entries[0]?.firstSeq ?? 0;
  }

  /** When the first run that is stored was recorded. Infinity: there is none. */
  get recordedFrom(): number {
    return this.#held[0]?.recordedMin ?? Number.POSITIVE_INFINITY;
  }

  get lastSeq(): number {
    const last = this.entries.at(-1);
    return last === undefined ? 0 : lastSeqOf(last);
  }

  block(entry: BlockEntry): RunBlock {
    const there = this.#read.get(entry);
    if (there !== undefined) return there;
    const block = new RunBlock(this.#bytesOf(entry));
    if (block.count !== entry.runs) throw new Error(`the block of run ${entry.firstSeq} is damaged`);
    const [oldest] = this.#read.keys();
    if (oldest !== undefined && this.#read.size >= MOST_READ) this.#read.delete(oldest);
    this.#read.set(entry, block);
    return block;
  }

  /** Stores runs after all others. */
  append(runs: readonly RunRecord[]): void {
    if (runs.length === 0) return;
    if (runs.length >= GROWING_RUNS || !this.#grow(runs)) for (const part of partsOf(runs)) this.#add(part);
    this.#mergeSmall();
  }

  /** A block that can be read at once. Null if it must be fetched first. */
  peek(entry: BlockEntry): RunBlock | null {
    if (entry.state !== "archived" || this.#read.has(entry)) return this.block(entry);
    return isFetched(entry) ? this.block(entry) : null;
  }

  /** Without blocks whose runs are deleted, latest first. */
  get latestHeld(): readonly BlockEntry[] {
    return this.#held.toReversed();
  }

  /** Stored runs with these seqs, in their order. `to` is not included. */
  *between(
    from: number,
    to: number,
  ): Generator<{ readonly seq: number; readonly run: RunRecord; readonly characters: number }> {
    for (const entry of this.#held) {
      if (entry.firstSeq >= to) return;
      const [first, last] = [Math.max(from, entry.firstSeq), Math.min(to - 1, lastSeqOf(entry))];
      for (let seq = first; seq <= last; seq += 1) {
        const at = seq - entry.firstSeq;
        const block = this.block(entry);
        yield { seq, run: block.run(at), characters: block.charactersOf(at) };
      }
    }
  }

  /** The first seq, from one on, of a run that was recorded at a moment or later; without one, that of the next run. */
  firstSince(from: number, atMs: number): number {
    for (const entry of this.#held) {
      if (lastSeqOf(entry) < from || entry.recordedMax < atMs) continue;
      const skipped = Math.max(0, from - entry.firstSeq);
      const at = this.block(entry)
        .moments("recordedAt")
        .findIndex((recordedAt, index) => index >= skipped && recordedAt >= atMs);
      if (at !== -1) return entry.firstSeq + at;
    }
    return Math.max(from, this.lastSeq + 1);
  }

  /** The index numbers of ids, with their seqs, oldest first, for runs after a seq. */
  *keyHashesAfter(seq: number, key: HashKey): Generator<readonly [seq: number, number: number]> {
    for (const entry of this.entries) {
      if (lastSeqOf(entry) <= seq) continue;
      const numbers = this.#numbersOf(entry, key);
      for (const [at, number] of numbers.entries()) {
        if (entry.firstSeq + at > seq) yield [entry.firstSeq + at, number];
      }
    }
  }

  #numbersOf(entry: BlockEntry, key: HashKey): Iterable<number> & { entries(): Iterable<[number, number]> } {
    if (entry.state === "remains") return this.remains(entry).map(({ number }) => number);
    if (entry.state === "archived") return archivedNumbers(this.#sql, entry);
    return this.block(entry).ids.map((id) => keyHashOf(id, key));
  }

  /** The first block whose runs are not deleted. */
  get firstHeld(): BlockEntry | undefined {
    return this.entries.find(({ state }) => state !== "remains");
  }

  /** Blocks that follow one another are stored elsewhere from now on, or here again. */
  moved(from: readonly BlockEntry[], to: readonly BlockEntry[]): void {
    const [first] = from;
    if (first === undefined) return;
    const at = this.entries.indexOf(first);
    if (at === -1 || from.some((entry, index) => this.#entries[at + index] !== entry)) {
      throw new Error("other blocks are stored here");
    }
    this.#tail = null;
    this.#change(at);
    this.#entries.splice(at, from.length, ...to);
  }

  /** The oldest runs that were recorded before a time and have a lower seq than one, from at most one block. */
  oldest(
    beforeMs: number,
    beforeSeq = Number.POSITIVE_INFINITY,
  ): {
    readonly runs: readonly RunRecord[];
    readonly bytes: number;
    readonly isWhole: boolean;
  } {
    const [entry] = this.#held;
    if (entry === undefined || entry.recordedMin >= beforeMs || entry.firstSeq >= beforeSeq) {
      return { runs: [], bytes: 0, isWhole: false };
    }
    const block = this.block(entry);
    const young = block.moments("recordedAt").findIndex((recordedAt) => recordedAt >= beforeMs);
    const count = Math.min(young === -1 ? block.count : young, beforeSeq - entry.firstSeq);
    const runs = Array.from({ length: count }, (_, at) => block.run(at));
    return { runs, bytes: entry.bytes, isWhole: count === block.count };
  }

  /** Deletes the oldest runs, all or some of their block, and keeps what remains of each. */
  purge(remains: readonly Remains[]): void {
    const [entry] = this.#held;
    if (entry === undefined || remains.length === 0) return;
    const at = this.#entries.indexOf(entry);
    const left = [...this.block(entry)].slice(remains.length);
    this.#tail = null;
    this.#change(at);
    const data = encodeRemains(remains);
    const kept = entryOfRemains(entry.firstSeq, data.length, remains);
    writeBlock(this.#sql, kept, NO_FILTER, data);
    this.#entries.splice(at, 1, kept);
    if (left.length === 0) return;
    const rest = encodeRuns(left);
    const cut = entryOf({ state: "runs", firstSeq: lastSeqOf(kept) + 1, bytes: rest.data.length }, left);
    writeBlock(this.#sql, cut, filterOf(rest.names), rest.data);
    this.#entries.splice(at + 1, 0, cut);
  }

  /** Deletes blocks of remains whose runs were all recorded before a time. Returns how many runs there were. */
  forget(beforeMs: number, mostBlocks: number): number {
    const young = this.entries.findIndex(
      ({ state, recordedMax }) => state !== "remains" || recordedMax >= beforeMs,
    );
    const gone = this.#entries.slice(0, Math.min(young === -1 ? this.#entries.length : young, mostBlocks));
    const [first, last] = [gone[0], gone.at(-1)];
    if (first === undefined || last === undefined) return 0;
    this.#change(0);
    deleteBlocks(this.#sql, first.firstSeq, last.firstSeq);
    this.#entries.splice(0, gone.length);
    return gone.reduce((sum, { runs }) => sum + runs, 0);
  }

  /** Blocks that may contain runs with all these names. */
  withNames(names: readonly Named[]): readonly BlockEntry[] {
    return this.among(this.#held, names);
  }

  /** Of blocks that follow one another, those that may contain runs with all these names. */
  among(entries: readonly BlockEntry[], names: readonly Named[]): readonly BlockEntry[] {
    const [first, last] = [entries[0], entries.at(-1)];
    if (names.length === 0 || first === undefined || last === undefined) return entries;
    const found = new Set([
      ...blocksWithNames(this.#sql, names, [first.firstSeq, last.firstSeq]),
      ...archivedWithNames(this.#sql, names, entries),
    ]);
    return entries.filter(({ firstSeq }) => found.has(firstSeq));
  }

  /** A block as it is stored. */
  bytesOf(entry: BlockEntry): Uint8Array<ArrayBuffer> {
    return this.#bytesOf(entry);
  }

  /** Without blocks whose runs are deleted. */
  get #held(): readonly BlockEntry[] {
    return this.entries.filter(({ state }) => state !== "remains");
  }

  /** What is left of a block whose runs are deleted. */
  remains(entry: BlockEntry): readonly Remains[] {
    if (this.#lastRemains?.entry === entry) return this.#lastRemains.all;
    const all = decodeRemains(this.#bytesOf(entry));
    this.#lastRemains = { entry, all };
    return all;
  }

  #bytesOf(entry: BlockEntry): Uint8Array<ArrayBuffer> {
    if (entry.state === "archived") return archivedBytes(this.#sql, entry);
    return this.#tail?.entry === entry ? this.#tail.data : readBytes(this.#sql, entry.firstSeq);
  }

  #readChanged(): void {
    const kept = this.#entries.slice(0, this.#changedFrom);
    const last = kept.at(-1);
    this.#entries = [...kept, ...readFrom(this.#sql, last === undefined ? 0 : lastSeqOf(last) + 1)];
    this.#tail = null;
    this.#changedFrom = this.#entries.length;
    this.#isSuspect = false;
  }

  /** Adds to the last block. False if it is full, or there is none. */
  #grow(runs: readonly RunRecord[]): boolean {
    const last = this.entries.at(-1);
    if (last?.state !== "runs" || last.runs + runs.length > GROWING_RUNS) return false;
    const frame = encodeFrame(runs);
    if (last.bytes + frame.length > GROWING_BYTES) return false;
    const before = this.#bytesOf(last);
    const data = new Uint8Array(before.length + frame.length);
    data.set(before);
    data.set(frame, before.length);
    const added = entryOf({ state: "runs", firstSeq: 0, bytes: frame.length }, runs);
    const entry = extended(last, added);
    this.#change(this.#entries.length - 1);
    this.#entries[this.#entries.length - 1] = entry;
    writeBlock(this.#sql, entry, NO_FILTER, data);
    this.#tail = { entry, data };
    return true;
  }

  #add({ runs, data, names }: Part): void {
    const { entries } = this;
    const entry = entryOf({ state: "runs", firstSeq: this.lastSeq + 1, bytes: data.length }, runs);
    this.#change(entries.length);
    this.#entries.push(entry);
    writeBlock(this.#sql, entry, isSmall(entry) ? NO_FILTER : filterOf(names), data);
    this.#tail = { entry, data };
  }

  #change(from: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, from);
  }

  /** Merges the small blocks at the end into one, once there are enough. */
  #mergeSmall(): void {
    const from = this.#entries.findLastIndex((entry) => !isSmall(entry)) + 1;
    const small = this.#entries.slice(from);
    const [first, last] = [small[0], small.at(-1)];
    if (first === undefined || last === undefined || !areWorthMerging(small)) return;
    const all = small.flatMap((entry) => [...this.block(entry)]);
    deleteBlocks(this.#sql, first.firstSeq + 1, last.firstSeq);
    this.#change(from);
    this.#entries.length = from;
    const { data, names } = encodeRuns(all);
    const entry = entryOf({ state: "runs", firstSeq: first.firstSeq, bytes: data.length }, all);
    this.#entries.push(entry);
    writeBlock(this.#sql, entry, filterOf(names), data);
    this.#tail = null;
  }
}

function readFrom(sql: SqlStorage, fromSeq: number): BlockEntry[] {
  const entries = [...readArchivedEntries(sql, fromSeq), ...readEntries(sql, fromSeq)];
  return entries.sort((one, other) => one.firstSeq - other.firstSeq);
}

const BLOCKS = new WeakMap<SqlStorage, RunBlocks>();
followRollbacks({ forget: (sql) => BLOCKS.get(sql)?.distrust() });

/** The runs of an org, as its object stores them. */
export function runBlocks(sql: SqlStorage): RunBlocks {
  let blocks = BLOCKS.get(sql);
  if (blocks === undefined) BLOCKS.set(sql, (blocks = new RunBlocks(sql)));
  return blocks;
}
