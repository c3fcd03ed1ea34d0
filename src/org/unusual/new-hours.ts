import type { Dimension } from "../../contract/dimensions.ts";
import { DAY_MS, HOUR_MS } from "../../contract/durations.ts";
import {
  firstHourOf,
  hourOf,
  type HourNumber,
  HourSums,
  type SubjectKind,
} from "../../domain/forecast/hours.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { KEPT_DAYS } from "../../domain/forecast/unusual-subjects.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";
import type { ReportAsk, Stretches } from "../../domain/usage-report/ask.ts";
import { SegmentScan } from "../../domain/usage-report/scan.ts";
import { requireArchived } from "../../storage/segments/archived-segments.ts";
import { type IsWanted, lastSeqOf, type SegmentMetadata, STATE } from "../../storage/segments/metadata.ts";
import { nameIn } from "../adjustments/names.ts";
import { type RunSegments, runSegments } from "../runs/segments/segments.ts";

/** One step ends at any of these: others are served before the next. */
const STEP_RUNS = 100_000;
const STEP_BYTES = 4_194_304;
const STEP_REPLACEMENTS = 10_000;

const NANOS_PER_USD = 1e9;
const SUBJECTS: readonly (readonly [SubjectKind, Dimension])[] = [
  ["model", "model"],
  ["customer", "customer_id"],
  ["key", "key_id"],
  ["user", "user_id"],
];

/** The first run, and the first replacement of an estimate by its run, that are not counted yet. */
export interface ReadPosition {
  readonly run: number;
  readonly replacement: number;
}

export interface NewHours {
  readonly sums: HourSums;
  readonly next: ReadPosition;
  /** True if all is counted that is stored. */
  readonly isEnd: boolean;
}

export function firstKeptHour(now: number): HourNumber {
  return firstHourOf(dayOf(now) - KEPT_DAYS);
}

interface NewRuns {
  readonly runs: number;
  /** True if one step reads them all. */
  readonly isOneStep: boolean;
}

/** The runs from a place on, without reading them. Of a file with some of them, all are counted. */
export function newRunsFrom(sql: SqlStorage, now: number, from: ReadPosition): NewRuns {
  const store = runSegments(sql);
  const left = store.ranges.filter(isLeft(now, from));
  const runs = left.reduce((sum, { firstSeq, rows }) => sum + rows - Math.max(0, from.run - firstSeq), 0);
  return { runs, isOneStep: nextStep(store, now, from).isLast };
}

function isLeft(now: number, { run }: ReadPosition): IsWanted {
  const fromMs = firstKeptHour(now) * HOUR_MS;
  return (range) => range.state !== STATE.tombstones && lastSeqOf(range) >= run && range.startedMax >= fromMs;
}

interface Step {
  readonly segments: readonly SegmentMetadata[];
  readonly isLast: boolean;
}

/** The segments that the next step reads: at least one, if any is left. */
function nextStep(store: RunSegments, now: number, from: ReadPosition): Step {
  const segments: SegmentMetadata[] = [];
  let [runs, bytes] = [0, 0];
  for (const segment of store.held(isLeft(now, from), from.run)) {
    if (runs >= STEP_RUNS || bytes >= STEP_BYTES) return { segments, isLast: false };
    segments.push(segment);
    runs += segment.rows;
    bytes += segment.bytes;
  }
  return { segments, isLast: true };
}

/** Returns what runs from a place on cost, by the hour of their start. Adjustments of runs are no spend of an hour. */
export function countNewRuns(sql: SqlStorage, now: number, from: ReadPosition): NewHours {
  const store = runSegments(sql);
  const sums = new HourSums();
  const fromMs = firstKeptHour(now) * HOUR_MS;
  const { segments: some, isLast } = nextStep(store, now, from);
  if (some.length > 0) addRuns(store, some, { sums, fromRun: from.run, fromMs, toMs: now + DAY_MS });
  const last = some.at(-1);
  if (last !== undefined && !isLast) {
    return { sums, next: { ...from, run: lastSeqOf(last) + 1 }, isEnd: false };
  }
  // Only now every estimate that was replaced is counted itself.
  const replacements = subtractReplaced(sql, { sums, fromMs, first: from.replacement });
  return { sums, next: { run: store.lastSeq + 1, ...replacements.next }, isEnd: replacements.isEnd };
}

interface HourCounter {
  readonly sums: HourSums;
  readonly fromMs: number;
}

function addRuns(
  store: RunSegments,
  segments: readonly SegmentMetadata[],
  { sums, fromRun, fromMs, toMs }: HourCounter & { readonly fromRun: number; readonly toMs: number },
): void {
  requireArchived(store, segments);
  const stretches = hoursBetween(fromMs, toMs);
  for (const [kind, name] of SUBJECTS) {
    const ask: ReportAsk = {
      fromMs,
      toMs,
      filters: {},
      groupBy: [
        { kind: "time", stretches },
        { kind: "name", name },
      ],
    };
    const scan = new SegmentScan(ask);
    for (const segment of segments) {
      scan.add(store.bytesOf(segment), {
        from: fromRun - segment.firstSeq,
        to: segment.rows,
        without: [],
        isWithin: segment.startedMin >= fromMs && segment.startedMax < toMs,
      });
    }
    for (const [[hour, id], nanos, [runs = 0]] of scan.rows()) {
      const usd = Number(nanos) / NANOS_PER_USD;
      if (id !== null && id !== undefined) sums.add([Number(hour), kind, id, usd, runs]);
      // Each run is once in the sums by model, so these are also the org's.
      if (kind === "model") sums.add([Number(hour), "org", "", usd, runs]);
    }
  }
}

function hoursBetween(fromMs: number, toMs: number): Stretches {
  const first = hourOf(fromMs);
  const hours = Array.from({ length: hourOf(toMs) - first + 1 }, (_, at) => first + at);
  return { starts: hours.map((hour) => hour * HOUR_MS), labels: hours.map(String) };
}

type Replacement = { seq: number; started_at: number; cost: string; names: string };

/** An estimate that a run took the place of is no spend any more. */
function subtractReplaced(
  sql: SqlStorage,
  { sums, fromMs, first }: HourCounter & { readonly first: number },
): { readonly next: Pick<ReadPosition, "replacement">; readonly isEnd: boolean } {
  const rows = sql
    .exec<Replacement>(
      "SELECT seq, started_at, cost, names FROM run_replacements WHERE seq >= ? ORDER BY seq LIMIT ?",
      first,
      STEP_REPLACEMENTS,
    )
    .toArray();
  for (const { started_at: startedAt, cost, names } of rows) {
    if (startedAt < fromMs) continue;
    const said = JSON.parse(names) as RunNames;
    const usd = -Number(cost) / NANOS_PER_USD;
    sums.add([hourOf(startedAt), "org", "", usd, -1]);
    for (const [kind, name] of SUBJECTS) {
      const id = nameIn(said, name);
      if (id !== null) sums.add([hourOf(startedAt), kind, id, usd, -1]);
    }
  }
  return {
    next: { replacement: (rows.at(-1)?.seq ?? first - 1) + 1 },
    isEnd: rows.length < STEP_REPLACEMENTS,
  };
}
