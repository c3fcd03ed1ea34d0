import { RunColumns } from "../../../domain/run-segment/columns.ts";
import { type HashKey, keyHashOf } from "../../../storage/key-index/key-hash.ts";
import { encodeRows, encodeRowGroup } from "../../../domain/run-segment/row-group.ts";
import {
  decodeTombstones,
  encodeTombstones,
  type Tombstone,
} from "../../../domain/run-segment/tombstones.ts";
import type { RunRecord } from "../../../domain/run-segment/record.ts";
import { followRollbacks } from "../../../storage/transactional-cache.ts";
import { archivedBytes, isFetched } from "./archived.ts";
import { archivedKeyHashes, archivedWithNames } from "./archived-index.ts";
import { type SegmentMetadata, metadataOf, metadataOfTombstones, extended, lastSeqOf } from "./metadata.ts";
import { type Part, partsOf } from "./parts.ts";
import { readArchivedSegments } from "./files.ts";
import { areWorthMerging, GROWING_BYTES, GROWING_RUNS, isSmall } from "./sizes.ts";
import {
  segmentsWithNames,
  deleteSegments,
  filterOf,
  type Named,
  NO_FILTER,
  readBytes,
  readEntries,
  writeSegment,
} from "./table.ts";

const MOST_READ = 4;

/**
 * The runs of an org: rows that each hold many runs, oldest first, numbered without gaps by their seqs. The position of
 * each segment is kept in memory.
 */
export class RunSegments {
  readonly #sql: SqlStorage;
  #segments: SegmentMetadata[];
  /** The content of the last segment, if it can grow. */
  #tail: { readonly segment: SegmentMetadata; readonly data: Uint8Array<ArrayBuffer> } | null = null;
  /** Segments from here on may differ from storage if the transaction is rolled back. */
  #changedFrom: number;
  #isSuspect = false;
  readonly #read = new Map<SegmentMetadata, RunColumns>();
  #lastTombstones: { readonly segment: SegmentMetadata; readonly all: readonly Tombstone[] } | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#segments = readFrom(sql, 0);
    this.#changedFrom = this.#segments.length;
  }

  /** A transaction was rolled back: what it changed is read again when it is next needed. */
  distrust(): void {
    this.#isSuspect = true;
  }

  get segments(): readonly SegmentMetadata[] {
    if (this.#isSuspect) this.#readChanged();
    return this.#segments;
  }

  get firstSeq(): number {
    return this.segments[0]?.firstSeq ?? 0;
  }

  /** When the first run that is stored was recorded. Infinity: there is none. */
  get recordedFrom(): number {
    return this.#held[0]?.recordedMin ?? Number.POSITIVE_INFINITY;
  }

  get lastSeq(): number {
    const last = this.segments.at(-1);
    return last === undefined ? 0 : lastSeqOf(last);
  }

  columns(segment: SegmentMetadata): RunColumns {
    const there = this.#read.get(segment);
    if (there !== undefined) return there;
    const columns = new RunColumns(this.#bytesOf(segment));
    if (columns.count !== segment.runs) throw new Error(`the segment of run ${segment.firstSeq} is damaged`);
    const [oldest] = this.#read.keys();
    if (oldest !== undefined && this.#read.size >= MOST_READ) this.#read.delete(oldest);
    this.#read.set(segment, columns);
    return columns;
  }

  /** Stores runs after all others. */
  append(runs: readonly RunRecord[]): void {
    if (runs.length === 0) return;
    if (runs.length >= GROWING_RUNS || !this.#grow(runs)) for (const part of partsOf(runs)) this.#add(part);
    this.#mergeSmall();
  }

  /** A segment that can be read at once. Null if it must be fetched first. */
  peek(segment: SegmentMetadata): RunColumns | null {
    if (segment.state !== "archived" || this.#read.has(segment)) return this.columns(segment);
    return isFetched(segment) ? this.columns(segment) : null;
  }

  /** Without segments whose runs are deleted, latest first. */
  get latestHeld(): readonly SegmentMetadata[] {
    return this.#held.toReversed();
  }

  /** Stored runs with these seqs, in their order. `to` is not included. */
  *between(
    from: number,
    to: number,
  ): Generator<{ readonly seq: number; readonly run: RunRecord; readonly characters: number }> {
    for (const segment of this.#held) {
      if (segment.firstSeq >= to) return;
      const [first, last] = [Math.max(from, segment.firstSeq), Math.min(to - 1, lastSeqOf(segment))];
      for (let seq = first; seq <= last; seq += 1) {
        const at = seq - segment.firstSeq;
        const columns = this.columns(segment);
        yield { seq, run: columns.run(at), characters: columns.charactersOf(at) };
      }
    }
  }

  /** The first seq, from one on, of a run that was recorded at a moment or later; without one, that of the next run. */
  firstSince(from: number, atMs: number): number {
    for (const segment of this.#held) {
      if (lastSeqOf(segment) < from || segment.recordedMax < atMs) continue;
      const skipped = Math.max(0, from - segment.firstSeq);
      const at = this.columns(segment)
        .moments("recordedAt")
        .findIndex((recordedAt, index) => index >= skipped && recordedAt >= atMs);
      if (at !== -1) return segment.firstSeq + at;
    }
    return Math.max(from, this.lastSeq + 1);
  }

  /** The index numbers of ids, with their seqs, oldest first, for runs after a seq. */
  *keyHashesAfter(seq: number, key: HashKey): Generator<readonly [seq: number, number: number]> {
    for (const segment of this.segments) {
      if (lastSeqOf(segment) <= seq) continue;
      const numbers = this.#numbersOf(segment, key);
      for (const [at, number] of numbers.entries()) {
        if (segment.firstSeq + at > seq) yield [segment.firstSeq + at, number];
      }
    }
  }

  #numbersOf(
    segment: SegmentMetadata,
    key: HashKey,
  ): Iterable<number> & { entries(): Iterable<[number, number]> } {
    if (segment.state === "remains") return this.tombstones(segment).map(({ number }) => number);
    if (segment.state === "archived") return archivedKeyHashes(this.#sql, segment);
    return this.columns(segment).ids.map((id) => keyHashOf(id, key));
  }

  /** The first segment whose runs are not deleted. */
  get firstHeld(): SegmentMetadata | undefined {
    return this.segments.find(({ state }) => state !== "remains");
  }

  /** Segments that follow one another are stored elsewhere from now on, or here again. */
  moved(from: readonly SegmentMetadata[], to: readonly SegmentMetadata[]): void {
    const [first] = from;
    if (first === undefined) return;
    const at = this.segments.indexOf(first);
    if (at === -1 || from.some((segment, index) => this.#segments[at + index] !== segment)) {
      throw new Error("other segments are stored here");
    }
    this.#tail = null;
    this.#change(at);
    this.#segments.splice(at, from.length, ...to);
  }

  /** The oldest runs that were recorded before a time and have a lower seq than one, from at most one segment. */
  oldest(
    beforeMs: number,
    beforeSeq = Number.POSITIVE_INFINITY,
  ): {
    readonly runs: readonly RunRecord[];
    readonly bytes: number;
    readonly isWhole: boolean;
  } {
    const [segment] = this.#held;
    if (segment === undefined || segment.recordedMin >= beforeMs || segment.firstSeq >= beforeSeq) {
      return { runs: [], bytes: 0, isWhole: false };
    }
    const columns = this.columns(segment);
    const young = columns.moments("recordedAt").findIndex((recordedAt) => recordedAt >= beforeMs);
    const count = Math.min(young === -1 ? columns.count : young, beforeSeq - segment.firstSeq);
    const runs = Array.from({ length: count }, (_, at) => columns.run(at));
    return { runs, bytes: segment.bytes, isWhole: count === columns.count };
  }

  /** Deletes the oldest runs, all or some of their segment, and keeps a tombstone of each. */
  purge(tombstones: readonly Tombstone[]): void {
    const [segment] = this.#held;
    if (segment === undefined || tombstones.length === 0) return;
    const at = this.#segments.indexOf(segment);
    const left = [...this.columns(segment)].slice(tombstones.length);
    this.#tail = null;
    this.#change(at);
    const data = encodeTombstones(tombstones);
    const kept = metadataOfTombstones(segment.firstSeq, data.length, tombstones);
    writeSegment(this.#sql, kept, NO_FILTER, data);
    this.#segments.splice(at, 1, kept);
    if (left.length === 0) return;
    const rest = encodeRowGroup(left);
    const cut = metadataOf({ state: "runs", firstSeq: lastSeqOf(kept) + 1, bytes: rest.data.length }, left);
    writeSegment(this.#sql, cut, filterOf(rest.names), rest.data);
    this.#segments.splice(at + 1, 0, cut);
  }

  /** Deletes segments of tombstones whose runs were all recorded before a time. Returns how many runs there were. */
  forget(beforeMs: number, mostSegments: number): number {
    const young = this.segments.findIndex(
      ({ state, recordedMax }) => state !== "remains" || recordedMax >= beforeMs,
    );
    const gone = this.#segments.slice(
      0,
      Math.min(young === -1 ? this.#segments.length : young, mostSegments),
    );
    const [first, last] = [gone[0], gone.at(-1)];
    if (first === undefined || last === undefined) return 0;
    this.#change(0);
    deleteSegments(this.#sql, first.firstSeq, last.firstSeq);
    this.#segments.splice(0, gone.length);
    return gone.reduce((sum, { runs }) => sum + runs, 0);
  }

  /** Segments that may contain runs with all these names. */
  withNames(names: readonly Named[]): readonly SegmentMetadata[] {
    return this.among(this.#held, names);
  }

  /** Of segments that follow one another, those that may contain runs with all these names. */
  among(segments: readonly SegmentMetadata[], names: readonly Named[]): readonly SegmentMetadata[] {
    const [first, last] = [segments[0], segments.at(-1)];
    if (names.length === 0 || first === undefined || last === undefined) return segments;
    const found = new Set([
      ...segmentsWithNames(this.#sql, names, [first.firstSeq, last.firstSeq]),
      ...archivedWithNames(this.#sql, names, segments),
    ]);
    return segments.filter(({ firstSeq }) => found.has(firstSeq));
  }

  /** A segment as it is stored. */
  bytesOf(segment: SegmentMetadata): Uint8Array<ArrayBuffer> {
    return this.#bytesOf(segment);
  }

  /** Without segments whose runs are deleted. */
  get #held(): readonly SegmentMetadata[] {
    return this.segments.filter(({ state }) => state !== "remains");
  }

  /** What is left of a segment whose runs are deleted. */
  tombstones(segment: SegmentMetadata): readonly Tombstone[] {
    if (this.#lastTombstones?.segment === segment) return this.#lastTombstones.all;
    const all = decodeTombstones(this.#bytesOf(segment));
    this.#lastTombstones = { segment, all };
    return all;
  }

  #bytesOf(segment: SegmentMetadata): Uint8Array<ArrayBuffer> {
    if (segment.state === "archived") return archivedBytes(this.#sql, segment);
    return this.#tail?.segment === segment ? this.#tail.data : readBytes(this.#sql, segment.firstSeq);
  }

  #readChanged(): void {
    const kept = this.#segments.slice(0, this.#changedFrom);
    const last = kept.at(-1);
    this.#segments = [...kept, ...readFrom(this.#sql, last === undefined ? 0 : lastSeqOf(last) + 1)];
    this.#tail = null;
    this.#changedFrom = this.#segments.length;
    this.#isSuspect = false;
  }

  /** Adds to the last segment. False if it is full, or there is none. */
  #grow(runs: readonly RunRecord[]): boolean {
    const last = this.segments.at(-1);
    if (last?.state !== "runs" || last.runs + runs.length > GROWING_RUNS) return false;
    const rowGroup = encodeRows(runs);
    if (last.bytes + rowGroup.length > GROWING_BYTES) return false;
    const before = this.#bytesOf(last);
    const data = new Uint8Array(before.length + rowGroup.length);
    data.set(before);
    data.set(rowGroup, before.length);
    const added = metadataOf({ state: "runs", firstSeq: 0, bytes: rowGroup.length }, runs);
    const segment = extended(last, added);
    this.#change(this.#segments.length - 1);
    this.#segments[this.#segments.length - 1] = segment;
    writeSegment(this.#sql, segment, NO_FILTER, data);
    this.#tail = { segment, data };
    return true;
  }

  #add({ runs, data, names }: Part): void {
    const { segments } = this;
    const segment = metadataOf({ state: "runs", firstSeq: this.lastSeq + 1, bytes: data.length }, runs);
    this.#change(segments.length);
    this.#segments.push(segment);
    writeSegment(this.#sql, segment, isSmall(segment) ? NO_FILTER : filterOf(names), data);
    this.#tail = { segment, data };
  }

  #change(from: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, from);
  }

  /** Merges the small segments at the end into one, once there are enough. */
  #mergeSmall(): void {
    const from = this.#segments.findLastIndex((segment) => !isSmall(segment)) + 1;
    const small = this.#segments.slice(from);
    const [first, last] = [small[0], small.at(-1)];
    if (first === undefined || last === undefined || !areWorthMerging(small)) return;
    const all = small.flatMap((segment) => [...this.columns(segment)]);
    deleteSegments(this.#sql, first.firstSeq + 1, last.firstSeq);
    this.#change(from);
    this.#segments.length = from;
    const { data, names } = encodeRowGroup(all);
    const segment = metadataOf({ state: "runs", firstSeq: first.firstSeq, bytes: data.length }, all);
    this.#segments.push(segment);
    writeSegment(this.#sql, segment, filterOf(names), data);
    this.#tail = null;
  }
}

function readFrom(sql: SqlStorage, fromSeq: number): SegmentMetadata[] {
  const segments = [...readArchivedSegments(sql, fromSeq), ...readEntries(sql, fromSeq)];
  return segments.sort((one, other) => one.firstSeq - other.firstSeq);
}

const SEGMENTS = new WeakMap<SqlStorage, RunSegments>();
followRollbacks({ forget: (sql) => SEGMENTS.get(sql)?.distrust() });

/** The runs of an org, as its object stores them. */
export function runSegments(sql: SqlStorage): RunSegments {
  let store = SEGMENTS.get(sql);
  if (store === undefined) SEGMENTS.set(sql, (store = new RunSegments(sql)));
  return store;
}
