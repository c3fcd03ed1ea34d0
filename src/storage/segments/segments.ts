import { joinedBytes } from "../../domain/bytes/joined-bytes.ts";
import { KeyIndex } from "../key-index/key-index.ts";
import { type HashKey, keyHashOf } from "../key-index/key-hash.ts";
import { KeyProbe } from "../key-index/probe.ts";
import type { Row as LoggedRow } from "../table.ts";
import { archivedHashes } from "./archived-ids.ts";
import { archivedBytes, isFetched } from "./archived-segments.ts";
import { readFileSegments } from "./file-segments.ts";
import { readFiles } from "./files.ts";
import { readHashKey } from "./hash-key.ts";
import type {
  EncodedRows,
  SegmentColumns,
  SegmentLayout,
  SegmentPlace,
  SegmentRow,
  SegmentTombstone,
} from "./layout.ts";
import {
  type IsWanted,
  lastSeqOf,
  type LocalSegment,
  type SegmentMetadata,
  STATE,
  type StoredRange,
} from "./metadata.ts";
import { NameFilter } from "./name-filter.ts";
import { NamedSegments } from "./named-segments.ts";
import { SegmentList } from "./segment-list.ts";
import { areWorthMerging, GROWING_BYTES, GROWING_ROWS, isSmall, smallAtEnd } from "./sizes.ts";
import { deleteSegments, NO_FILTER, readMetadata, readPart, writeSegment } from "./table.ts";
import { WaitingRows } from "./waiting-rows.ts";
import { joinZoneMaps, zoneMapOf } from "./zone-map.ts";

const MOST_READ = 4;
/** Segments whose filters of names are read first. Then come twice as many each time. */
const FEW = 16;
/** A stored row can have 2 MB. One row of a request is smaller. */
const MOST_BYTES = 1_048_576;

/**
 * Rows that are only appended, many to a segment, oldest first, numbered without gaps by their seqs. Memory has where each
 * segment is and its zone map, and of archived ones those of their files. Retention deletes from the oldest on, and leaves tombstones. Rows of small batches wait in the
 * write-ahead log, and are stored together by a checkpoint. Until then, they are one more segment to whoever reads.
 */
export class Segments<
  Row extends SegmentRow = SegmentRow,
  Columns extends SegmentColumns<Row> = SegmentColumns<Row>,
  Tombstone extends SegmentTombstone = SegmentTombstone,
> implements SegmentPlace {
  readonly sql: SqlStorage;
  readonly layout: SegmentLayout<Row, Columns, Tombstone>;
  /** No seq is left out. */
  readonly hasGaps = false;
  /** Those that are stored. */
  #list: SegmentList;
  readonly #waiting: WaitingRows<Row>;
  /** The rows that wait, made a segment when somebody reads them. */
  #last: { readonly segment: LocalSegment; readonly data: Uint8Array<ArrayBuffer> } | null = null;
  /** The content of the last segment that is stored, if it can grow. */
  #tail: { readonly segment: LocalSegment; readonly data: Uint8Array<ArrayBuffer> } | null = null;
  /** Ranges from here on may differ from storage if the transaction is rolled back. */
  #changedFrom: number;
  #isSuspect = false;
  #hashKey: HashKey | null = null;
  #index: KeyIndex | null = null;
  readonly #decoded = new Map<SegmentMetadata, Columns>();
  readonly #named = new NamedSegments(this);
  #lastTombstones: { readonly segment: SegmentMetadata; readonly all: readonly Tombstone[] } | null = null;

  constructor(sql: SqlStorage, layout: SegmentLayout<Row, Columns, Tombstone>) {
    this.sql = sql;
    this.layout = layout;
    this.#waiting = new WaitingRows(sql, layout);
    this.#list = this.#read([], 0);
    this.#changedFrom = this.#list.ranges.length;
  }

  get name(): string {
    return this.layout.name;
  }

  get title(): string {
    return this.layout.title;
  }

  /** A transaction was rolled back: what it changed is read again when it is next needed. */
  rollBack(): void {
    this.#isSuspect = true;
    this.#hashKey = null;
    this.#last = null;
    this.#waiting.rollBack();
    this.#index?.rollBack();
  }

  /** Without rows that wait for a checkpoint. */
  get list(): SegmentList {
    if (this.#isSuspect) this.#readChanged();
    return this.#list;
  }

  /** Every segment that the object has, and every file. */
  get ranges(): readonly StoredRange[] {
    const { ranges } = this.list;
    const last = this.#lastOfWaiting();
    return last === null ? ranges : [...ranges, last];
  }

  /** The segments with a row from a seq on, in order, as far as they are wanted, without those whose rows are deleted. */
  *held(isWanted: IsWanted = () => true, fromSeq = 0): Generator<SegmentMetadata, void> {
    yield* this.list.forward((range) => range.state !== STATE.tombstones && isWanted(range), fromSeq);
    const last = this.#lastOfWaiting();
    if (last !== null && lastSeqOf(last) >= fromSeq && isWanted(last)) yield last;
  }

  /** The same, the latest first. */
  *heldLatestFirst(isWanted: IsWanted = () => true): Generator<SegmentMetadata, void> {
    const last = this.#lastOfWaiting();
    if (last !== null && isWanted(last)) yield last;
    yield* this.list.backward((range) => range.state !== STATE.tombstones && isWanted(range));
  }

  /** The stored segment that has a seq. */
  with(seq: number): SegmentMetadata | undefined {
    return this.list.with(seq);
  }

  /** Undefined if none of the rows that wait for a checkpoint has this seq. */
  waitingRow(seq: number): Row | undefined {
    const last = this.#lastStored;
    return this.#waiting.after(last)[seq - last - 1];
  }

  get #lastStored(): number {
    const last = this.list.ranges.at(-1);
    return last === undefined ? 0 : lastSeqOf(last);
  }

  #lastOfWaiting(): LocalSegment | null {
    const firstSeq = this.#lastStored + 1;
    const rows = this.#waiting.after(firstSeq - 1);
    if (rows.length === 0) return null;
    if (this.#last?.segment.rows !== rows.length) {
      const { data } = this.layout.encode(rows);
      const place = { state: STATE.rows, firstSeq, rows: rows.length, bytes: data.length };
      this.#last = { segment: { ...place, ...zoneMapOf(rows) }, data };
    }
    return this.#last.segment;
  }

  /** The segment or file with the first row that is not deleted. */
  get firstHeld(): StoredRange | undefined {
    return (
      this.list.ranges.find(({ state }) => state !== STATE.tombstones) ?? this.#lastOfWaiting() ?? undefined
    );
  }

  /** The key for hashing the ids of rows. */
  get hashKey(): HashKey {
    return (this.#hashKey ??= readHashKey(this));
  }

  probe(ids: readonly string[]): KeyProbe {
    return new KeyProbe(ids, this.hashKey);
  }

  /** Changes if ids are hashed in another way. */
  get hashSecret(): string {
    return this.hashKey.join();
  }

  /** Finds rows by the hashes of their ids. */
  ids(size?: number): Pick<KeyIndex, "find" | "addNext"> {
    const tables = { name: `${this.name}_id`, hasFilters: true } as const;
    return (this.#index ??= new KeyIndex(this.sql, tables, this, size)).current();
  }

  get firstSeq(): number {
    return this.list.ranges[0]?.firstSeq ?? Math.min(this.lastSeq, 1);
  }

  /** When the first row that is stored was recorded. Infinity: there is none. */
  get recordedFrom(): number {
    return this.firstHeld?.recordedMin ?? Number.POSITIVE_INFINITY;
  }

  get lastSeq(): number {
    return this.#lastStored + this.#waiting.after(this.#lastStored).length;
  }

  decode(segment: Uint8Array): Columns {
    return this.layout.decode(segment);
  }

  columns(segment: SegmentMetadata): Columns {
    const there = this.#decoded.get(segment);
    if (there !== undefined) return there;
    const columns = this.decode(this.bytesOf(segment));
    if (columns.count !== segment.rows)
      throw new Error(`the segment of ${this.name} ${segment.firstSeq} is damaged`);
    const [oldest] = this.#decoded.keys();
    if (oldest !== undefined && this.#decoded.size >= MOST_READ) this.#decoded.delete(oldest);
    this.#decoded.set(segment, columns);
    return columns;
  }

  /** Adds rows after all others. */
  append(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    if (rows.length < GROWING_ROWS) this.#waiting.add(rows, this.lastSeq + 1);
    else this.#store([...this.#waiting.after(this.#lastStored), ...rows]);
  }

  /** A checkpoint brings what the write-ahead log has. */
  store(logged: readonly LoggedRow[]): void {
    this.#store(this.#waiting.read(logged, this.#lastStored));
  }

  #store(rows: readonly Row[]): void {
    this.#last = null;
    this.#waiting.noteStored();
    if (rows.length === 0) return;
    if (rows.length >= GROWING_ROWS || !this.#grow(rows)) this.#add(rows, this.layout.encode(rows));
    this.#mergeSmall();
  }

  /** A segment that can be read at once. Null if it must be fetched first. */
  peek(segment: SegmentMetadata): Columns | null {
    if (segment.state !== STATE.archived || this.#decoded.has(segment)) return this.columns(segment);
    return isFetched(segment) ? this.columns(segment) : null;
  }

  /** Stored rows with these seqs, in their order. `to` is not included. */
  *between(
    from: number,
    to: number,
  ): Generator<{ readonly seq: number; readonly row: Row; readonly characters: number }> {
    for (const segment of this.held(({ firstSeq }) => firstSeq < to, from)) {
      const [first, last] = [Math.max(from, segment.firstSeq), Math.min(to - 1, lastSeqOf(segment))];
      for (let seq = first; seq <= last; seq += 1) {
        const at = seq - segment.firstSeq;
        const columns = this.columns(segment);
        yield { seq, row: columns.row(at), characters: columns.charactersOf(at) };
      }
    }
  }

  /** The first seq, from one on, of a row that was recorded at a moment or later; without one, that of the next row. */
  firstSince(from: number, atMs: number): number {
    for (const segment of this.held(({ recordedMax }) => recordedMax >= atMs, from)) {
      const skipped = Math.max(0, from - segment.firstSeq);
      const at = this.columns(segment)
        .moments("recordedAt")
        .findIndex((recordedAt, index) => index >= skipped && recordedAt >= atMs);
      if (at !== -1) return segment.firstSeq + at;
    }
    return Math.max(from, this.lastSeq + 1);
  }

  /** The key hashes of ids, with their seqs, oldest first, for rows after a seq. */
  *keyHashesAfter(seq: number): Generator<readonly [seq: number, keyHash: number]> {
    for (const segment of this.#after(seq)) {
      for (const [at, keyHash] of this.#keyHashesOf(segment).entries()) {
        if (segment.firstSeq + at > seq) yield [segment.firstSeq + at, keyHash];
      }
    }
  }

  *#after(seq: number): Generator<SegmentMetadata, void> {
    yield* this.list.forward(() => true, seq + 1);
    const last = this.#lastOfWaiting();
    if (last !== null) yield last;
  }

  #keyHashesOf(segment: SegmentMetadata): readonly number[] | Uint32Array {
    if (segment.state === STATE.tombstones) return this.tombstones(segment).map(({ keyHash }) => keyHash);
    if (segment.state === STATE.archived) return archivedHashes(this, segment.firstSeq).keyHashes;
    return this.columns(segment).ids.map((id) => keyHashOf(id, this.hashKey));
  }

  /** Segments or files that follow one another are replaced by others, whose rows are written already. */
  replace(from: readonly StoredRange[], to: readonly StoredRange[]): void {
    const at = this.list.replace(from, to);
    this.#tail = null;
    this.#changedFrom = Math.min(this.#changedFrom, at);
  }

  /** Returns those of these segments that may contain rows with all these names. */
  withNames(names: readonly string[], segments: readonly SegmentMetadata[]): readonly SegmentMetadata[] {
    if (names.length === 0) return segments;
    // The one that is not stored has no filter: it may have any name.
    const last = this.#last?.segment;
    if (last === undefined) return this.#named.among(names, segments);
    const stored = segments.filter((segment) => segment !== last);
    const named = new Set([...this.#named.among(names, stored), last]);
    return segments.filter((segment) => named.has(segment));
  }

  /** The same for whoever does not need all of them: filters of later segments are not read. */
  *eachWithNames(
    names: readonly string[],
    segments: Iterable<SegmentMetadata>,
  ): Generator<SegmentMetadata, void> {
    // Without a name every segment may have one: each is given at once.
    let [some, size]: [SegmentMetadata[], number] = [[], names.length === 0 ? 1 : FEW];
    for (const segment of segments) {
      some.push(segment);
      if (some.length < size) continue;
      yield* this.withNames(names, some);
      [some, size] = [[], names.length === 0 ? 1 : size * 2];
    }
    yield* this.withNames(names, some);
  }

  /** A segment as it is stored. */
  bytesOf(segment: SegmentMetadata): Uint8Array<ArrayBuffer> {
    if (segment.state === STATE.archived) return archivedBytes(this, segment);
    for (const known of [this.#last, this.#tail]) if (known?.segment === segment) return known.data;
    return readPart(this, "data", segment.firstSeq);
  }

  /** Returns the tombstones of a segment whose rows are deleted. */
  tombstones(segment: SegmentMetadata): readonly Tombstone[] {
    if (this.#lastTombstones?.segment === segment) return this.#lastTombstones.all;
    const all = this.layout.decodeTombstones(this.bytesOf(segment));
    this.#lastTombstones = { segment, all };
    return all;
  }

  /** Writes rows as one segment. One that may grow has no filter of names. */
  write(
    firstSeq: number,
    rows: readonly Row[],
    { data, names } = this.layout.encode(rows),
    mayGrow = false,
  ): LocalSegment {
    const place = { state: STATE.rows, firstSeq, rows: rows.length, bytes: data.length };
    const segment: LocalSegment = { ...place, ...zoneMapOf(rows) };
    const hasFilter = !mayGrow || !isSmall(segment);
    writeSegment(this, segment, hasFilter ? NameFilter.of(names()).stored : NO_FILTER, data);
    return segment;
  }

  #readChanged(): void {
    const kept = this.#list.ranges.slice(0, this.#changedFrom);
    const last = kept.at(-1);
    this.#list = this.#read(kept, last === undefined ? 0 : lastSeqOf(last) + 1);
    this.#tail = null;
    this.#changedFrom = this.#list.ranges.length;
    this.#isSuspect = false;
  }

  /** The list of some ranges, and of all that are stored from a seq on. */
  #read(kept: readonly StoredRange[], fromSeq: number): SegmentList {
    const read: StoredRange[] = [...readFiles(this, fromSeq), ...readMetadata(this, fromSeq)];
    read.sort((one, other) => one.firstSeq - other.firstSeq);
    return new SegmentList([...kept, ...read], (file) => readFileSegments(this, file));
  }

  /** Adds to the last segment. False if it is full, or there is none. */
  #grow(rows: readonly Row[]): boolean {
    const last = this.list.ranges.at(-1);
    if (last?.state !== STATE.rows || last.rows + rows.length > GROWING_ROWS) return false;
    const added = this.layout.encode(rows).data;
    if (last.bytes + added.length > GROWING_BYTES) return false;
    const data = joinedBytes([this.bytesOf(last), added]);
    const segment = {
      ...last,
      rows: last.rows + rows.length,
      bytes: data.length,
      ...joinZoneMaps([last, zoneMapOf(rows)]),
    };
    this.replace([last], [segment]);
    writeSegment(this, segment, NO_FILTER, data);
    this.#tail = { segment, data };
    return true;
  }

  /** Segments after all others, each small enough for a row. */
  #add(rows: readonly Row[], encoded: EncodedRows): void {
    if (encoded.data.length > MOST_BYTES && rows.length > 1) {
      const half = Math.ceil(rows.length / 2);
      for (const part of [rows.slice(0, half), rows.slice(half)]) this.#add(part, this.layout.encode(part));
      return;
    }
    const { ranges } = this.list;
    this.#changedFrom = Math.min(this.#changedFrom, ranges.length);
    const segment = this.write(this.#lastStored + 1, rows, encoded, true);
    ranges.push(segment);
    this.#tail = { segment, data: encoded.data };
  }

  /** Merges the small segments at the end into one, once there are enough. */
  #mergeSmall(): void {
    const small = smallAtEnd(this.list.ranges);
    const [first, last] = [small[0], small.at(-1)];
    if (first === undefined || last === undefined || !areWorthMerging(small)) return;
    const rows = small.flatMap((segment) => [...this.columns(segment)]);
    deleteSegments(this, first.firstSeq + 1, last.firstSeq);
    this.replace(small, [this.write(first.firstSeq, rows)]);
  }
}
