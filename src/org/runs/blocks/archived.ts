import { RunBlock } from "../../../domain/run-block/block.ts";
import { NeedsFetch, type Fetched, fetchedSoFar, Unreadable } from "../../../storage/needs-fetch.ts";
import { archiveOf } from "./archive-binding.ts";
import type { BlockEntry } from "./entry.ts";
import { fetchBlocks } from "./fetch.ts";

/** Archived blocks that the running call has fetched. Rules read them as if they were stored here. */

type Blocks = Map<number, Uint8Array<ArrayBuffer> | Unreadable>;

/** What is fetched at once, and at least one block. */
const BATCH_BLOCKS = 32;
const BATCH_BYTES = 4_194_304;

function fetchedIn(brought: Fetched | null): Blocks {
  if (brought === null) throw new Error("this call cannot wait for archived runs");
  return brought.keep("archived blocks", () => new Map());
}

/** An archived block as it was stored. */
export function archivedBytes(sql: SqlStorage, entry: BlockEntry): Uint8Array<ArrayBuffer> {
  const found = fetchedIn(fetchedSoFar()).get(entry.firstSeq);
  if (found === undefined) throw absent(sql, [entry]);
  if (found instanceof Unreadable) throw found;
  return found;
}

/** Whether the running call has fetched a block. */
export function isFetched({ firstSeq }: BlockEntry): boolean {
  return fetchedIn(fetchedSoFar()).has(firstSeq);
}

export function dropFetched({ firstSeq }: BlockEntry): void {
  fetchedIn(fetchedSoFar()).delete(firstSeq);
}

/** Fetches all of these blocks at once, so that each is there when it is read. */
export function needArchived(sql: SqlStorage, entries: readonly BlockEntry[]): void {
  const archived = entries.filter(({ state }) => state === "archived");
  if (archived.length === 0) return;
  const fetched = fetchedIn(fetchedSoFar());
  const missing = archived.filter(({ firstSeq }) => !fetched.has(firstSeq));
  if (missing.length > 0) throw absent(sql, missing);
}

function absent(sql: SqlStorage, entries: readonly BlockEntry[]): NeedsFetch {
  return new NeedsFetch("an archived run", async (brought) => {
    const fetched = fetchedIn(brought);
    for (const [seq, block] of await fetchBlocks(archiveOf(sql), entries)) fetched.set(seq, block);
  });
}

interface Fold<State> {
  /** Tells it from other folds of the same call. */
  readonly key: string;
  readonly start: () => State;
  /** Called once for each block. `Unreadable` is thrown unless this takes it. */
  readonly add: (state: State, block: RunBlock, entry: BlockEntry) => void;
  readonly addUnreadable?: (state: State, cause: Unreadable, entry: BlockEntry) => void;
}

/**
 * What archived blocks add up to. A few are fetched at a time, added and dropped again, so memory does not grow with their
 * number. The rule runs again for each few: what was added stays.
 */
export function foldArchived<State>(
  sql: SqlStorage,
  entries: readonly BlockEntry[],
  fold: Fold<State>,
): State {
  if (entries.length === 0) return fold.start();
  const brought = fetchedSoFar();
  const fetched = fetchedIn(brought);
  const sum = progressOf(brought, entries, fold);
  const batch: BlockEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (sum.done.has(entry.firstSeq)) continue;
    const block = fetched.get(entry.firstSeq);
    if (block === undefined) {
      if (batch.length >= BATCH_BLOCKS || bytes + entry.bytes > BATCH_BYTES) break;
      batch.push(entry);
      bytes += entry.bytes;
      continue;
    }
    addTo(sum.state, block, entry, fold);
    sum.done.add(entry.firstSeq);
    fetched.delete(entry.firstSeq);
  }
  const first = entries.find(({ firstSeq }) => !sum.done.has(firstSeq));
  if (first !== undefined) throw absent(sql, batch.length === 0 ? [first] : batch);
  return sum.state;
}

interface Progress<State> {
  readonly state: State;
  readonly done: Set<number>;
}

/** A block that was added may have left the archive since. Then nothing counts that was added. */
function progressOf<State>(
  brought: Fetched | null,
  entries: readonly BlockEntry[],
  { key, start }: Fold<State>,
): Progress<State> {
  const name = `sum of ${key}`;
  const make = (): Progress<State> => ({ state: start(), done: new Set() });
  const there = brought?.keep(name, make) ?? make();
  const seqs = new Set(entries.map(({ firstSeq }) => firstSeq));
  if ([...there.done].every((seq) => seqs.has(seq))) return there;
  brought?.drop(name);
  return brought?.keep(name, make) ?? make();
}

function addTo<State>(
  state: State,
  block: Uint8Array | Unreadable,
  entry: BlockEntry,
  { add, addUnreadable }: Fold<State>,
): void {
  if (!(block instanceof Unreadable)) add(state, new RunBlock(block), entry);
  else if (addUnreadable === undefined) throw block;
  else addUnreadable(state, block, entry);
}
