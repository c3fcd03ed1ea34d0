import { NeedsFetch, type FetchedObjects, fetchedSoFar, Unreadable } from "../needs-fetch.ts";
import { fetchSegments } from "./fetch.ts";
import type { SegmentPlace } from "./layout.ts";
import { type ArchivedSegment, lastSeqOf, type SegmentMetadata, STATE } from "./metadata.ts";

/** Archived segments that the running call has fetched. Rules read them as if they were stored here. */

type FetchedSegments = Map<number, Uint8Array<ArrayBuffer> | Unreadable>;

/** So many segments are fetched at once, and at least one. */
const BATCH_SEGMENTS = 32;
const BATCH_BYTES = 4_194_304;

function fetchedIn(brought: FetchedObjects | null): FetchedSegments {
  if (brought === null) throw new Error("this call cannot wait for archived rows");
  return brought.keep("archived segments", () => new Map());
}

/** An archived segment as it was stored. */
export function archivedBytes(of: SegmentPlace, segment: ArchivedSegment): Uint8Array<ArrayBuffer> {
  const found = fetchedIn(fetchedSoFar()).get(segment.firstSeq);
  if (found === undefined) throw absent(of, [segment]);
  if (found instanceof Unreadable) throw found;
  return found;
}

/** Returns whether the running call has fetched a segment. */
export function isFetched({ firstSeq }: ArchivedSegment): boolean {
  return fetchedIn(fetchedSoFar()).has(firstSeq);
}

export function dropFetched({ firstSeq }: SegmentMetadata): void {
  fetchedIn(fetchedSoFar()).delete(firstSeq);
}

export function isArchived(segment: SegmentMetadata): segment is ArchivedSegment {
  return segment.state === STATE.archived;
}

/** Fetches all of these segments at once, so that each is there when it is read. */
export function requireArchived(of: SegmentPlace, segments: readonly SegmentMetadata[]): void {
  const archived = segments.filter(isArchived);
  if (archived.length === 0) return;
  const fetched = fetchedIn(fetchedSoFar());
  const missing = archived.filter(({ firstSeq }) => !fetched.has(firstSeq));
  if (missing.length > 0) throw absent(of, missing);
}

function absent(of: SegmentPlace, segments: readonly ArchivedSegment[]): NeedsFetch {
  return new NeedsFetch("an archived row", async (brought) => {
    const fetched = fetchedIn(brought);
    for (const [seq, data] of await fetchSegments(of, segments)) fetched.set(seq, data);
  });
}

export interface SegmentReducer<State, Columns> {
  /** Tells it from other reducers of the same call. */
  readonly key: string;
  start(): State;
  /** Called once for each segment. `Unreadable` is thrown unless this takes it. */
  add(state: State, columns: Columns, segment: ArchivedSegment): void;
  addUnreadable?(state: State, cause: Unreadable, segment: ArchivedSegment): void;
}

interface Source<Columns> extends SegmentPlace {
  decode(segment: Uint8Array): Columns;
  with(seq: number): SegmentMetadata | undefined;
}

/** Returns the segments with rows from a seq on, in order. Others than archived ones are passed over. */
type SegmentsFrom = (seq: number) => Iterable<SegmentMetadata>;

/**
 * Returns what archived segments add up to. A few are fetched at a time, added and dropped again, so memory does not
 * grow with their number. The rule runs again for each few, and goes on where it was.
 */
export function reduceArchived<State, Columns>(
  of: Source<Columns>,
  segmentsFrom: SegmentsFrom,
  reducer: SegmentReducer<State, Columns>,
): State {
  const brought = fetchedSoFar();
  const fetched = brought === null ? null : fetchedIn(brought);
  const sum = progressOf(of, `sum of ${reducer.key}`, () => ({
    done: new Set<number>(),
    state: reducer.start(),
    next: 0,
  }));
  const batch: ArchivedSegment[] = [];
  let bytes = 0;
  for (const segment of segmentsFrom(sum.next)) {
    if (!isArchived(segment)) continue;
    const data = fetched?.get(segment.firstSeq);
    if (data === undefined || batch.length > 0) {
      bytes += segment.bytes;
      if (batch.length >= BATCH_SEGMENTS || (batch.length > 0 && bytes > BATCH_BYTES)) break;
      batch.push(segment);
      continue;
    }
    if (!(data instanceof Unreadable)) reducer.add(sum.state, of.decode(data), segment);
    else if (reducer.addUnreadable === undefined) throw data;
    else reducer.addUnreadable(sum.state, data, segment);
    // Files leave the archive from the oldest on, so while the first is there, so are the others.
    if (sum.done.size === 0) sum.done.add(segment.firstSeq);
    sum.next = lastSeqOf(segment) + 1;
    dropFetched(segment);
  }
  requireArchived(of, batch);
  return sum.state;
}

/**
 * Returns what the running call has worked out of archived segments so far. One that is done may have left the archive
 * since: then nothing counts that was worked out.
 */
export function progressOf<Progress extends { readonly done: ReadonlySet<number> }>(
  of: Pick<Source<never>, "with">,
  name: string,
  make: () => Progress,
): Progress {
  const brought = fetchedSoFar();
  if (brought === null) return make();
  const there = brought.keep(name, make);
  const isThere = (seq: number) => of.with(seq)?.state === STATE.archived;
  if ([...there.done].every(isThere)) return there;
  brought.drop(name);
  return brought.keep(name, make);
}
