import type { Tombstone } from "../../domain/run/segment/tombstones.ts";
import { keyHashesOf, type KeyProbe } from "../../storage/key-index/probe.ts";
import type { Unreadable } from "../../storage/needs-fetch.ts";
import { findRows } from "../../storage/segments/find.ts";
import { storeApart } from "./long-metadata.ts";
import type { Run } from "./run.ts";
import { scheduleSpans } from "../span-exports/state.ts";
import { runSegments } from "./segments/segments.ts";
import { noteTagNames } from "./tag-names.ts";

interface FoundRuns {
  readonly runs: ReadonlyMap<string, Run>;
  /** Deleted runs that have these ids, and perhaps others by chance. */
  readonly tombstones: readonly Tombstone[];
  /** By id, archived runs that cannot be read. */
  readonly unreadable: ReadonlyMap<string, Unreadable>;
}

/** The stored runs with one of these ids. */
export function findRuns(sql: SqlStorage, probe: KeyProbe): FoundRuns {
  const segments = runSegments(sql);
  const seqs = probe.ids.length === 0 ? [] : segments.ids().find(probe);
  if (seqs.length === 0) return { runs: new Map(), tombstones: [], unreadable: new Map() };
  const { rows, tombstones, unreadable } = findRows(segments, seqs, new Set(probe.ids));
  return { runs: new Map(Array.from(rows.values(), (run) => [run.id, run])), tombstones, unreadable };
}

/** The stored run with this id. */
export function findRun(sql: SqlStorage, id: string): Run | undefined {
  const { runs, unreadable } = findRuns(sql, runSegments(sql).probe([id]));
  const cause = unreadable.get(id);
  if (cause !== undefined) throw cause;
  return runs.get(id);
}

/** Stores the runs of one batch. Their ids may have been sought before. */
export function insertRuns(sql: SqlStorage, runs: readonly Run[], probe: KeyProbe | null = null): void {
  if (runs.length === 0) return;
  const segments = runSegments(sql);
  const index = segments.ids();
  segments.append(runs.map((run) => storeApart(sql, run)));
  const ids = runs.map((run) => run.id);
  // Ids that were looked for before often have their hashes.
  index.addNext(probe?.firstNumbers(ids) ?? keyHashesOf(ids, segments.hashKey));
  noteTagNames(sql, runs);
  const [{ recordedAt } = { recordedAt: 0 }] = runs;
  scheduleSpans(sql, recordedAt);
}
