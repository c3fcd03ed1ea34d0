import type { HashKey } from "../../../storage/key-index/key-hash.ts";
import type { Remains } from "../../../domain/run-block/remains.ts";
import type { RunRecord } from "../../../domain/run-block/record.ts";
import type { Unreadable } from "../../../storage/needs-fetch.ts";
import { SoughtInFiles } from "./archived-index.ts";
import { foldArchived } from "./archived.ts";
import { runBlocks } from "./blocks.ts";
import { type ArchiveFile, type BlockEntry, entryWith } from "./entry.ts";

interface FoundInBlocks {
  /** By seq. */
  readonly runs: Map<number, RunRecord>;
  /** Of other runs with the same seqs. */
  readonly remains: Remains[];
  /** By id, archived runs that cannot be read. */
  readonly unreadable: Map<string, Unreadable>;
}

interface Ids {
  readonly ids: ReadonlySet<string>;
  readonly key: HashKey;
}

/** The runs with these seqs that have one of the ids. */
export function findInBlocks(sql: SqlStorage, seqs: readonly number[], { ids, key }: Ids): FoundInBlocks {
  const blocks = runBlocks(sql);
  const found: FoundInBlocks = { runs: new Map(), remains: [], unreadable: new Map() };
  const archived: Archived[] = [];
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
    const entry = entryWith(blocks.entries, seq);
    if (entry === undefined) continue;
    const at = seq - entry.firstSeq;
    if (entry.state === "remains") {
      const one = blocks.remains(entry)[at];
      if (one !== undefined) found.remains.push(one);
    } else if (entry.state === "archived") archived.push({ seq, entry });
    else if (ids.has(blocks.block(entry).ids[at] ?? "")) found.runs.set(seq, blocks.block(entry).run(at));
  }
  if (archived.length > 0) findInFiles(sql, archived, new SoughtInFiles(sql, ids, key), found);
  return found;
}

interface Archived {
  readonly seq: number;
  readonly entry: BlockEntry;
}

/** Ids of archived runs that were read, by seq: a report looks for the same ones at each step. */
const READ_IDS = new WeakMap<ArchiveFile, Map<number, string>>();

/** Those of these seqs whose run has one of the ids, each with the id. */
export function idsInBlocks(
  sql: SqlStorage,
  seqs: readonly number[],
  wanted: Ids,
): ReadonlyMap<number, string> {
  const { entries } = runBlocks(sql);
  const found = new Map<number, string>();
  const unknown: number[] = [];
  for (const seq of seqs) {
    const file = entryWith(entries, seq)?.place?.file;
    const id = file === undefined ? undefined : READ_IDS.get(file)?.get(seq);
    if (id === undefined) unknown.push(seq);
    else if (wanted.ids.has(id)) found.set(seq, id);
  }
  const { runs, unreadable } = findInBlocks(sql, unknown, wanted);
  for (const cause of unreadable.values()) throw cause;
  for (const [seq, { id }] of runs) {
    found.set(seq, id);
    const file = entryWith(entries, seq)?.place?.file;
    if (file !== undefined)
      READ_IDS.set(file, (READ_IDS.get(file) ?? new Map<number, string>()).set(seq, id));
  }
  return found;
}

/** A file is only read for a run whose id has the right hashes. */
function findInFiles(
  sql: SqlStorage,
  archived: readonly Archived[],
  sought: SoughtInFiles,
  found: FoundInBlocks,
): void {
  const likely = archived.filter(({ seq, entry }) => sought.idAt(entry, seq) !== null);
  const byEntry = Map.groupBy(likely, ({ entry }) => entry);
  const read = foldArchived(sql, [...byEntry.keys()], {
    key: `runs ${likely.map(({ seq }) => seq).join()}`,
    start: () => ({ runs: new Map<number, RunRecord>(), unreadable: new Map<number, Unreadable>() }),
    add: ({ runs }, block, entry) => {
      for (const { seq } of byEntry.get(entry) ?? []) runs.set(seq, block.run(seq - entry.firstSeq));
    },
    addUnreadable: ({ unreadable }, cause, entry) => {
      for (const { seq } of byEntry.get(entry) ?? []) unreadable.set(seq, cause);
    },
  });
  for (const { seq, entry } of likely) {
    const cause = read.unreadable.get(seq);
    if (cause !== undefined) found.unreadable.set(sought.idAt(entry, seq) ?? "", cause);
  }
  for (const [seq, run] of read.runs) if (sought.ids.has(run.id)) found.runs.set(seq, run);
}
