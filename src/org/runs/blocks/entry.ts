import type { RunRanges } from "../../../domain/run-block/ranges.ts";
import type { Remains } from "../../../domain/run-block/remains.ts";
import type { RunRecord } from "../../../domain/run-block/record.ts";

/**
 * What is known of stored runs without reading them: their position, and the minimum and maximum of what lists sort by.
 */
export interface BlockEntry extends RunRanges {
  /** `archived`: in a file. `remains`: retention has deleted the runs. */
  readonly state: "runs" | "archived" | "remains";
  /** Names its row in `run_blocks`, unless it is archived. */
  readonly firstSeq: number;
  readonly runs: number;
  readonly bytes: number;
  /** Where an archived block is. */
  readonly place?: ArchivedPlace;
}

/** A file in the archive: blocks that follow one another. */
export interface ArchiveFile {
  readonly firstSeq: number;
  readonly runs: number;
  readonly name: string;
  /** Its length. */
  readonly bytes: number;
}

export interface ArchivedPlace {
  readonly file: ArchiveFile;
  /** Where the block begins in the file. */
  readonly offset: number;
  /** Where the filter of its names is among those of the file. */
  readonly names: { readonly offset: number; readonly bytes: number };
  readonly digest: Uint8Array;
}

export type EntryRow = {
  state: BlockEntry["state"];
  first_seq: number;
  runs: number;
  bytes: number;
  started_min: number;
  started_max: number;
  recorded_min: number;
  recorded_max: number;
  cost_min: string;
  cost_max: string;
};

export function fromEntryRow(row: EntryRow): BlockEntry {
  return {
    state: row.state,
    firstSeq: row.first_seq,
    runs: row.runs,
    bytes: row.bytes,
    startedMin: row.started_min,
    startedMax: row.started_max,
    recordedMin: row.recorded_min,
    recordedMax: row.recorded_max,
    costMin: BigInt(row.cost_min),
    costMax: BigInt(row.cost_max),
  };
}

type Place = Pick<BlockEntry, "state" | "firstSeq" | "bytes">;

/** The entry of at least one run. */
export function entryOf(place: Place, runs: readonly RunRecord[]): BlockEntry {
  const [first] = runs;
  if (first === undefined) throw new Error("a block has at least one run");
  let { startedAt: startedMin, recordedAt: recordedMin, cost: costMin } = first;
  let [startedMax, recordedMax, costMax] = [startedMin, recordedMin, costMin];
  for (const { startedAt, recordedAt, cost } of runs) {
    if (startedAt < startedMin) startedMin = startedAt;
    if (startedAt > startedMax) startedMax = startedAt;
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
    if (cost < costMin) costMin = cost;
    if (cost > costMax) costMax = cost;
  }
  const { state, firstSeq, bytes } = place;
  return {
    state,
    firstSeq,
    runs: runs.length,
    bytes,
    startedMin,
    startedMax,
    recordedMin,
    recordedMax,
    costMin,
    costMax,
  };
}

/** An entry with more runs at its end. */
export function extended(entry: BlockEntry, added: BlockEntry): BlockEntry {
  return {
    state: entry.state,
    firstSeq: entry.firstSeq,
    runs: entry.runs + added.runs,
    bytes: entry.bytes + added.bytes,
    startedMin: Math.min(entry.startedMin, added.startedMin),
    startedMax: Math.max(entry.startedMax, added.startedMax),
    recordedMin: Math.min(entry.recordedMin, added.recordedMin),
    recordedMax: Math.max(entry.recordedMax, added.recordedMax),
    costMin: entry.costMin < added.costMin ? entry.costMin : added.costMin,
    costMax: entry.costMax > added.costMax ? entry.costMax : added.costMax,
  };
}

export function lastSeqOf({ firstSeq, runs }: BlockEntry): number {
  return firstSeq + runs - 1;
}

/** Whether two entries are of one block with the same content. */
export function isAlike(one: BlockEntry, other: BlockEntry | undefined): boolean {
  return (
    one.state === other?.state &&
    one.firstSeq === other.firstSeq &&
    one.runs === other.runs &&
    one.bytes === other.bytes
  );
}

export function entryOfRemains(firstSeq: number, bytes: number, all: readonly Remains[]): BlockEntry {
  let [recordedMin, recordedMax] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { recordedAt } of all) {
    if (recordedAt < recordedMin) recordedMin = recordedAt;
    if (recordedAt > recordedMax) recordedMax = recordedAt;
  }
  return {
    state: "remains",
    firstSeq,
    runs: all.length,
    bytes,
    startedMin: 0,
    startedMax: 0,
    recordedMin,
    recordedMax,
    costMin: 0n,
    costMax: 0n,
  };
}

/** The entry that contains a seq, by binary search. */
export function entryWith(entries: readonly BlockEntry[], seq: number): BlockEntry | undefined {
  let [low, high] = [0, entries.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry === undefined) return undefined;
    if (seq < entry.firstSeq) high = middle - 1;
    else if (seq > lastSeqOf(entry)) low = middle + 1;
    else return entry;
  }
  return undefined;
}
