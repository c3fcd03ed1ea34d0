import type { GroupRow } from "../../domain/usage-report/sums.ts";
import { type SegmentMetadata, lastSeqOf } from "../../storage/segments/metadata.ts";
import type { ScannedRuns } from "./scan-parts.ts";

/** The input of a step of a report. */
export interface StepInput extends ScannedRuns {
  /** The metadata of a segment that changes is replaced by others. */
  readonly segments: readonly SegmentMetadata[];
}

interface CachedStep extends StepInput {
  readonly rows: readonly GroupRow[];
}

/** Steps over fewer runs are quick. */
const LEAST_RUNS = 10_000;
const MOST_ROWS = 25_000;
const MOST_STEPS = 32;

const stepCache = new WeakMap<SqlStorage, Map<string, CachedStep>>();

/**
 * The rows of a step, kept in memory for the next report that asks the same of the same segments: people look at a page again,
 * and what is stored in a segment never changes.
 */
export function rowsOfStep(
  sql: SqlStorage,
  input: StepInput,
  make: () => readonly GroupRow[],
): readonly GroupRow[] {
  const known = stepCache.get(sql) ?? new Map<string, CachedStep>();
  stepCache.set(sql, known);
  const key = JSON.stringify([input.ask, input.fromRun]);
  const there = known.get(key);
  if (there !== undefined && isSame(there, input)) return there.rows;
  known.delete(key);
  const rows = make();
  const runs = input.segments.reduce((sum, segment) => sum + segment.rows, 0);
  if (runs >= LEAST_RUNS && rows.length <= MOST_ROWS) remember(known, key, { ...input, rows });
  return rows;
}

function isSame(there: CachedStep, { segments, toRun, replaced }: StepInput): boolean {
  const last = segments.at(-1);
  const isCut = last !== undefined && Math.min(toRun, there.toRun) < lastSeqOf(last);
  return (
    !isCut &&
    segments.length === there.segments.length &&
    segments.every((segment, at) => segment === there.segments[at]) &&
    replaced.join() === there.replaced.join()
  );
}

/** The oldest make room. */
function remember(known: Map<string, CachedStep>, key: string, step: CachedStep): void {
  known.set(key, step);
  let rows = [...known.values()].reduce((sum, one) => sum + one.rows.length, 0);
  for (const [oldest, { rows: theirs }] of known) {
    if (rows <= MOST_ROWS && known.size <= MOST_STEPS) return;
    known.delete(oldest);
    rows -= theirs.length;
  }
}
