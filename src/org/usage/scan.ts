import { DIMENSIONS, storedName } from "../../contract/dimensions.ts";
import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import { SegmentScan } from "../../domain/usage-report/scan.ts";
import { type GroupRow, GroupSums, MOST_GROUPS } from "../../domain/usage-report/sums.ts";
import { tooMany } from "../../domain/usage-report/too-many.ts";
import { filterKeys, runSegments } from "../runs/segments/segments.ts";
import { firstSegments, type IsWanted, STATE } from "../../storage/segments/metadata.ts";
import { requireArchived } from "../../storage/segments/archived-segments.ts";
import { findIds } from "../../storage/segments/find.ts";
import { readRollup } from "../../storage/segments/rollups/table.ts";
import { replacedRuns, replacements } from "../runs/replacements.ts";
import { mayBeTag } from "../runs/tag-names.ts";
import { partsOf, type ScannedRuns, type ScanPart } from "./scan-parts.ts";
import { rowsOfStep } from "./step-cache.ts";
import { addAdjustments, firstAdjustment, lastAdjustment } from "./adjustments.ts";

/** One step ends at any of these: others are served before the next. */
const STEP_RUNS = 100_000;
const STEP_BYTES = 8_388_608;
const STEP_SEGMENTS = 4096;

/** Where a report goes on, and where it ends: what is stored after it began is not in it. */
export interface ScanCursor {
  /** The first run that was not looked at yet. */
  readonly run: number;
  readonly lastRun: number;
  /** The last adjustment that was looked at. */
  readonly adjustment: number;
  readonly lastAdjustment: number;
}

interface ScanStep {
  /** The same names may come twice. */
  readonly rows: readonly GroupRow[];
  readonly next: ScanCursor | null;
  /** Retention took away what was still to be looked at: the report must begin anew. */
  readonly isLost: boolean;
  readonly sources: readonly ReportSource[];
}

/** Where figures of a report come from: the sums of days, rollups of segments, or the segments themselves. */
export type ReportSource = "days" | "rollups" | "segments";

/** The sums of some runs and adjustments. The caller adds up those of all steps. */
export function scanUsage(
  sql: SqlStorage,
  ask: ReportAsk,
  cursor: ScanCursor | null,
): ScanStep | Refusal<"validation_failed"> {
  const unknown = ask.groupBy.find((one) => one.kind === "tag" && !mayBeTag(sql, one.name));
  if (unknown?.kind === "tag") {
    return invalidField("group_by", "unknown", `names tag '${unknown.name}', which no run has`);
  }
  if (cursor !== null && hasLost(sql, cursor)) return { rows: [], next: cursor, isLost: true, sources: [] };
  const begun = cursor ?? begin(sql);
  const { next: run, rows, sources } = scanRuns(sql, ask, begun);
  const isAtEnd = run > begun.lastRun;
  const sums = new GroupSums();
  const adjustment = isAtEnd ? addAdjustments(sql, ask, begun, sums) : begun.adjustment;
  const next = isAtEnd && adjustment >= begun.lastAdjustment ? null : { ...begun, run, adjustment };
  if (sums.isTooMany || rows.length > MOST_GROUPS) return tooMany();
  return { rows: [...rows, ...sums.rows()], next, isLost: false, sources };
}

function begin(sql: SqlStorage): ScanCursor {
  const store = runSegments(sql);
  return {
    run: store.firstHeld?.firstSeq ?? store.lastSeq + 1,
    lastRun: store.lastSeq,
    adjustment: firstAdjustment(sql) - 1,
    lastAdjustment: lastAdjustment(sql),
  };
}

function hasLost(sql: SqlStorage, { run, lastRun, adjustment, lastAdjustment: last }: ScanCursor): boolean {
  const held = runSegments(sql).firstHeld;
  const isRunLost = run <= lastRun && (held === undefined || held.firstSeq > run);
  return isRunLost || (adjustment < last && firstAdjustment(sql) > adjustment + 1);
}

/**
 * When the first run that is stored was recorded, where retention has deleted others; null if it has not. Where none is
 * stored, just after the last that was deleted, so that the answer is the same whenever it is read.
 */
export function findFirstKeptTime(sql: SqlStorage): number | null {
  const { ranges, firstHeld } = runSegments(sql);
  const [first] = ranges;
  if (first === undefined || (first.state !== STATE.tombstones && first.firstSeq === 1)) return null;
  return firstHeld?.recordedMin ?? ranges.reduce((last, range) => Math.max(last, range.recordedMax), 0) + 1;
}

/** Adds up runs from the cursor on. `next` is the first that was left for the next step. */
function scanRuns(
  sql: SqlStorage,
  ask: ReportAsk,
  cursor: ScanCursor,
): Pick<ScanStep, "rows" | "sources"> & { readonly next: number } {
  const store = runSegments(sql);
  const left = firstSegments(store.held(asked(ask, cursor), cursor.run), STEP_SEGMENTS + 1);
  const some = left.slice(0, STEP_SEGMENTS);
  const named = store.withNames(filterKeys(namesIn(ask)), some);
  const runs = {
    ask,
    replaced: replacedSeqs(sql, cursor.lastRun),
    fromRun: cursor.run,
    toRun: cursor.lastRun,
  };
  const all = partsOf(store, named, runs);
  const parts = all.slice(0, countInStep(all));
  const segments = parts.flatMap((part) => part.segments);
  const next = named[segments.length]?.firstSeq ?? left[STEP_SEGMENTS]?.firstSeq ?? cursor.lastRun + 1;
  const sources = new Set(parts.map(({ rollup }) => (rollup === null ? "segments" : "rollups")));
  const rows = rowsOfStep(sql, { ...runs, segments }, () => scanned(sql, parts, runs));
  return { next, rows, sources: [...sources] };
}

function scanned(sql: SqlStorage, parts: readonly ScanPart[], runs: ScannedRuns): GroupRow[] {
  const { ask, replaced, fromRun, toRun } = runs;
  const store = runSegments(sql);
  const scan = new SegmentScan(ask);
  requireArchived(
    store,
    parts.flatMap(({ rollup, segments }) => (rollup === null ? segments : [])),
  );
  for (const { rollup, segments } of parts) {
    if (rollup !== null) {
      scan.addRollupOf(readRollup(store, rollup.column, rollup.firstSeq));
      continue;
    }
    for (const segment of segments) {
      scan.add(store.bytesOf(segment), {
        from: fromRun - segment.firstSeq,
        to: toRun + 1 - segment.firstSeq,
        without: replaced.map((seq) => seq - segment.firstSeq),
        isWithin: segment.startedMin >= ask.fromMs && segment.startedMax < ask.toMs,
      });
    }
  }
  return scan.rows();
}

/** How many of these parts one step looks at. */
function countInStep(parts: readonly ScanPart[]): number {
  let [counted, bytes] = [0, 0];
  const end = parts.findIndex((part) => {
    if (counted >= STEP_RUNS || bytes >= STEP_BYTES) return true;
    counted += part.count;
    bytes += part.bytes;
    return false;
  });
  return end === -1 ? parts.length : end;
}

/**
 * Estimates that a run of this report has replaced: they are stored, and do not count. One that a later run replaced still
 * counts, because that run does not.
 */
function replacedSeqs(sql: SqlStorage, lastRun: number): readonly number[] {
  if (replacedRuns(sql).size === 0) return [];
  const pairs = replacements(sql);
  const replacing = idsBySeq(sql, new Set(pairs.map(({ byRunId }) => byRunId)));
  const laterIds = new Set([...replacing].filter(([seq]) => seq > lastRun).map(([, id]) => id));
  const gone = pairs.filter(({ byRunId }) => !laterIds.has(byRunId));
  return [...idsBySeq(sql, new Set(gone.map(({ runId }) => runId))).keys()];
}

function idsBySeq(sql: SqlStorage, ids: ReadonlySet<string>): ReadonlyMap<number, string> {
  const store = runSegments(sql);
  return findIds(store, store.ids().find(store.probe([...ids])), ids);
}

function asked({ fromMs, toMs }: ReportAsk, { lastRun }: ScanCursor): IsWanted {
  return ({ firstSeq, startedMin, startedMax }) =>
    firstSeq <= lastRun && startedMax >= fromMs && startedMin < toMs;
}

function namesIn({ filters }: ReportAsk) {
  return DIMENSIONS.flatMap((row) => {
    const wanted = filters[row.name];
    return wanted === undefined ? [] : [[row.property, storedName(row, wanted)] as const];
  });
}
