import type { GroupRow } from "../../domain/usage-report/sums.ts";
import { type BlockEntry, lastSeqOf } from "../runs/blocks/entry.ts";
import type { ScannedRuns } from "./digested.ts";

/** What a step of a report looks at. */
export interface StepInput extends ScannedRuns {
  /** An entry of a block that changes is replaced by another. */
  readonly entries: readonly BlockEntry[];
}

interface Known extends StepInput {
  readonly rows: readonly GroupRow[];
}

/** Steps over fewer runs are quick. */
const LEAST_RUNS = 10_000;
const MOST_ROWS = 25_000;
const MOST_STEPS = 32;

const knownSteps = new WeakMap<SqlStorage, Map<string, Known>>();

/**
 * The rows of a step, kept in memory for the next report that asks the same of the same blocks: people look at a page again,
 * and what is stored in a block never changes.
 */
export function rowsOfStep(
  sql: SqlStorage,
  input: StepInput,
  make: () => readonly GroupRow[],
): readonly GroupRow[] {
  const known = knownSteps.get(sql) ?? new Map<string, Known>();
  knownSteps.set(sql, known);
  const key = JSON.stringify([input.ask, input.fromRun]);
  const there = known.get(key);
  if (there !== undefined && isSame(there, input)) return there.rows;
  known.delete(key);
  const rows = make();
  const runs = input.entries.reduce((sum, entry) => sum + entry.runs, 0);
  if (runs >= LEAST_RUNS && rows.length <= MOST_ROWS) remember(known, key, { ...input, rows });
  return rows;
}

function isSame(there: Known, { entries, toRun, replaced }: StepInput): boolean {
  const last = entries.at(-1);
  const isCut = last !== undefined && Math.min(toRun, there.toRun) < lastSeqOf(last);
  return (
    !isCut &&
    entries.length === there.entries.length &&
    entries.every((entry, at) => entry === there.entries[at]) &&
    replaced.join() === there.replaced.join()
  );
}

/** The oldest make room. */
function remember(known: Map<string, Known>, key: string, step: Known): void {
  known.set(key, step);
  let rows = [...known.values()].reduce((sum, one) => sum + one.rows.length, 0);
  for (const [oldest, { rows: theirs }] of known) {
    if (rows <= MOST_ROWS && known.size <= MOST_STEPS) return;
    known.delete(oldest);
    rows -= theirs.length;
  }
}
