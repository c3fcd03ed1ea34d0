import { RunColumns } from "../../../domain/run-segment/columns.ts";
import { NeedsFetch, type Fetched, fetchedSoFar, Unreadable } from "../../../storage/needs-fetch.ts";
import { archiveOf } from "./archive-binding.ts";
import type { SegmentMetadata } from "./metadata.ts";
import { fetchSegments } from "./fetch.ts";

/** Archived segments that the running call has fetched. Rules read them as if they were stored here. */

type Segments = Map<number, Uint8Array<ArrayBuffer> | Unreadable>;

/** What is fetched at once, and at least one segment. */
const BATCH_SEGMENTS = 32;
const BATCH_BYTES = 4_194_304;

function fetchedIn(brought: Fetched | null): Segments {
  if (brought === null) throw new Error("this call cannot wait for archived runs");
  return brought.keep("archived segments", () => new Map());
}

/** An archived segment as it was stored. */
export function archivedBytes(sql: SqlStorage, segment: SegmentMetadata): Uint8Array<ArrayBuffer> {
  const found = fetchedIn(fetchedSoFar()).get(segment.firstSeq);
  if (found === undefined) throw absent(sql, [segment]);
  if (found instanceof Unreadable) throw found;
  return found;
}

/** Whether the running call has fetched a segment. */
export function isFetched({ firstSeq }: SegmentMetadata): boolean {
  return fetchedIn(fetchedSoFar()).has(firstSeq);
}

export function dropFetched({ firstSeq }: SegmentMetadata): void {
  fetchedIn(fetchedSoFar()).delete(firstSeq);
}

/** Fetches all of these segments at once, so that each is there when it is read. */
export function needArchived(sql: SqlStorage, segments: readonly SegmentMetadata[]): void {
  const archived = segments.filter(({ state }) => state === "archived");
  if (archived.length === 0) return;
  const fetched = fetchedIn(fetchedSoFar());
  const missing = archived.filter(({ firstSeq }) => !fetched.has(firstSeq));
  if (missing.length > 0) throw absent(sql, missing);
}

function absent(sql: SqlStorage, segments: readonly SegmentMetadata[]): NeedsFetch {
  return new NeedsFetch("an archived run", async (brought) => {
    const fetched = fetchedIn(brought);
    for (const [seq, data] of await fetchSegments(archiveOf(sql), segments)) fetched.set(seq, data);
  });
}

interface Fold<State> {
  /** Tells it from other folds of the same call. */
  readonly key: string;
  readonly start: () => State;
  /** Called once for each segment. `Unreadable` is thrown unless this takes it. */
  readonly add: (state: State, columns: RunColumns, segment: SegmentMetadata) => void;
  readonly addUnreadable?: (state: State, cause: Unreadable, segment: SegmentMetadata) => void;
}

/**
 * What archived segments add up to. A few are fetched at a time, added and dropped again, so memory does not grow with their
 * number. The rule runs again for each few: what was added stays.
 */
export function foldArchived<State>(
  sql: SqlStorage,
  segments: readonly SegmentMetadata[],
  fold: Fold<State>,
): State {
  if (segments.length === 0) return fold.start();
  const brought = fetchedSoFar();
  const fetched = fetchedIn(brought);
  const sum = progressOf(brought, segments, fold);
  const batch: SegmentMetadata[] = [];
  let bytes = 0;
  for (const segment of segments) {
    if (sum.done.has(segment.firstSeq)) continue;
    const data = fetched.get(segment.firstSeq);
    if (data === undefined) {
      if (batch.length >= BATCH_SEGMENTS || bytes + segment.bytes > BATCH_BYTES) break;
      batch.push(segment);
      bytes += segment.bytes;
      continue;
    }
    addTo(sum.state, data, segment, fold);
    sum.done.add(segment.firstSeq);
    fetched.delete(segment.firstSeq);
  }
  const first = segments.find(({ firstSeq }) => !sum.done.has(firstSeq));
  if (first !== undefined) throw absent(sql, batch.length === 0 ? [first] : batch);
  return sum.state;
}

interface Progress<State> {
  readonly state: State;
  readonly done: Set<number>;
}

/** A segment that was added may have left the archive since. Then nothing counts that was added. */
function progressOf<State>(
  brought: Fetched | null,
  segments: readonly SegmentMetadata[],
  { key, start }: Fold<State>,
): Progress<State> {
  const name = `sum of ${key}`;
  const make = (): Progress<State> => ({ state: start(), done: new Set() });
  const there = brought?.keep(name, make) ?? make();
  const seqs = new Set(segments.map(({ firstSeq }) => firstSeq));
  if ([...there.done].every((seq) => seqs.has(seq))) return there;
  brought?.drop(name);
  return brought?.keep(name, make) ?? make();
}

function addTo<State>(
  state: State,
  data: Uint8Array | Unreadable,
  segment: SegmentMetadata,
  { add, addUnreadable }: Fold<State>,
): void {
  if (!(data instanceof Unreadable)) add(state, new RunColumns(data), segment);
  else if (addUnreadable === undefined) throw data;
  else addUnreadable(state, data, segment);
}
