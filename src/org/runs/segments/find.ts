import type { HashKey } from "../../../storage/key-index/key-hash.ts";
import type { Tombstone } from "../../../domain/run-segment/tombstones.ts";
import type { RunRecord } from "../../../domain/run-segment/record.ts";
import type { Unreadable } from "../../../storage/needs-fetch.ts";
import { FileProbe } from "./archived-index.ts";
import { foldArchived } from "./archived.ts";
import { runSegments } from "./segments.ts";
import { type ArchiveFile, type SegmentMetadata, segmentWith } from "./metadata.ts";

interface FoundInSegments {
  /** By seq. */
  readonly runs: Map<number, RunRecord>;
  /** Of other runs with the same seqs. */
  readonly tombstones: Tombstone[];
  /** By id, archived runs that cannot be read. */
  readonly unreadable: Map<string, Unreadable>;
}

interface Ids {
  readonly ids: ReadonlySet<string>;
  readonly key: HashKey;
}

/** The runs with these seqs that have one of the ids. */
export function findInSegments(sql: SqlStorage, seqs: readonly number[], { ids, key }: Ids): FoundInSegments {
  const store = runSegments(sql);
  const found: FoundInSegments = { runs: new Map(), tombstones: [], unreadable: new Map() };
  const archived: Archived[] = [];
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
    const segment = segmentWith(store.segments, seq);
    if (segment === undefined) continue;
    const at = seq - segment.firstSeq;
    if (segment.state === "remains") {
      const one = store.tombstones(segment)[at];
      if (one !== undefined) found.tombstones.push(one);
    } else if (segment.state === "archived") archived.push({ seq, segment });
    else if (ids.has(store.columns(segment).ids[at] ?? ""))
      found.runs.set(seq, store.columns(segment).run(at));
  }
  if (archived.length > 0) findInFiles(sql, archived, new FileProbe(sql, ids, key), found);
  return found;
}

interface Archived {
  readonly seq: number;
  readonly segment: SegmentMetadata;
}

/** Ids of archived runs that were read, by seq: a report looks for the same ones at each step. */
const READ_IDS = new WeakMap<ArchiveFile, Map<number, string>>();

/** Those of these seqs whose run has one of the ids, each with the id. */
export function idsInSegments(
  sql: SqlStorage,
  seqs: readonly number[],
  wanted: Ids,
): ReadonlyMap<number, string> {
  const { segments } = runSegments(sql);
  const found = new Map<number, string>();
  const unknown: number[] = [];
  for (const seq of seqs) {
    const file = segmentWith(segments, seq)?.place?.file;
    const id = file === undefined ? undefined : READ_IDS.get(file)?.get(seq);
    if (id === undefined) unknown.push(seq);
    else if (wanted.ids.has(id)) found.set(seq, id);
  }
  const { runs, unreadable } = findInSegments(sql, unknown, wanted);
  for (const cause of unreadable.values()) throw cause;
  for (const [seq, { id }] of runs) {
    found.set(seq, id);
    const file = segmentWith(segments, seq)?.place?.file;
    if (file !== undefined)
      READ_IDS.set(file, (READ_IDS.get(file) ?? new Map<number, string>()).set(seq, id));
  }
  return found;
}

/** A file is only read for a run whose id has the right hashes. */
function findInFiles(
  sql: SqlStorage,
  archived: readonly Archived[],
  sought: FileProbe,
  found: FoundInSegments,
): void {
  const likely = archived.filter(({ seq, segment }) => sought.idAt(segment, seq) !== null);
  const bySegment = Map.groupBy(likely, ({ segment }) => segment);
  const read = foldArchived(sql, [...bySegment.keys()], {
    key: `runs ${likely.map(({ seq }) => seq).join()}`,
    start: () => ({ runs: new Map<number, RunRecord>(), unreadable: new Map<number, Unreadable>() }),
    add: ({ runs }, columns, segment) => {
      for (const { seq } of bySegment.get(segment) ?? []) runs.set(seq, columns.run(seq - segment.firstSeq));
    },
    addUnreadable: ({ unreadable }, cause, segment) => {
      for (const { seq } of bySegment.get(segment) ?? []) unreadable.set(seq, cause);
    },
  });
  for (const { seq, segment } of likely) {
    const cause = read.unreadable.get(seq);
    if (cause !== undefined) found.unreadable.set(sought.idAt(segment, seq) ?? "", cause);
  }
  for (const [seq, run] of read.runs) if (sought.ids.has(run.id)) found.runs.set(seq, run);
}
