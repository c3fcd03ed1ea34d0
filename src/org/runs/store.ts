import { keyHashesOf, KeyProbe } from "../../storage/key-index/probe.ts";
import type { Tombstone } from "../../domain/run-segment/tombstones.ts";
import type { Unreadable } from "../../storage/needs-fetch.ts";
import { runSegments } from "./segments/segments.ts";
import { findInSegments } from "./segments/find.ts";
import { runIds } from "./ids/index.ts";
import { idKey } from "./ids/key.ts";
import { storeApart } from "./long-metadata.ts";
import type { Run } from "./run.ts";
import { noteTagNames } from "./tag-names.ts";

interface FoundRuns {
  readonly runs: ReadonlyMap<string, Run>;
  /** Deleted runs that have these ids, and perhaps others by chance. */
  readonly tombstones: readonly Tombstone[];
  /** By id, archived runs that cannot be read. */
  readonly unreadable: ReadonlyMap<string, Unreadable>;
}

/** The stored runs with one of these ids. */
export function findRuns(sql: SqlStorage, sought: KeyProbe): FoundRuns {
  const seqs = sought.ids.length === 0 ? [] : runIds(sql).find(sought);
  if (seqs.length === 0) return { runs: new Map(), tombstones: [], unreadable: new Map() };
  const { runs, tombstones, unreadable } = findInSegments(sql, seqs, {
    ids: new Set(sought.ids),
    key: idKey(sql),
  });
  return { runs: new Map(Array.from(runs.values(), (run) => [run.id, run])), tombstones, unreadable };
}

/** The stored run with this id. */
export function findRun(sql: SqlStorage, id: string): Run | undefined {
  const { runs, unreadable } = findRuns(sql, new KeyProbe([id], idKey(sql)));
  const cause = unreadable.get(id);
  if (cause !== undefined) throw cause;
  return runs.get(id);
}

/** Stores the runs of one batch. Their ids may have been sought before. */
export function insertRuns(sql: SqlStorage, runs: readonly Run[], sought: KeyProbe | null = null): void {
  if (runs.length === 0) return;
  const index = runIds(sql);
  runSegments(sql).append(runs.map((run) => storeApart(sql, run)));
  const ids = runs.map((run) => run.id);
  // What was sought before often has their hashes.
  index.addNext(sought?.firstNumbers(ids) ?? keyHashesOf(ids, idKey(sql)));
  noteTagNames(sql, runs);
}
