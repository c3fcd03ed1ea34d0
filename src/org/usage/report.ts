import { isRefusal } from "../../contract/refusal.ts";
import type { ReportAsk } from "../../domain/usage-report/ask.ts";
import { dailyAskOf, daysAskOf } from "../../domain/usage-report/daily.ts";
import type { GroupRow } from "../../domain/usage-report/sums.ts";
import { type CheckpointedView, query } from "../kernel/door.ts";
import { knowsDays, totalsOfDays, wholeDays } from "./daily.ts";
import { findFirstKeptTime, type ReportSource, type ScanCursor, scanUsage } from "./scan.ts";

/** The question of a report: a range, and the dimensions that it groups and filters by. */
export interface Report {
  readonly ask: ReportAsk;
  readonly timeZone: string;
}

/**
 * Where a report goes on. By `days`, the sums of full days say what they can, and runs are read for what is before and after
 * them. By `runs`, all runs are read; where retention has deleted some, the sums of days then say what those cost.
 */
export interface ReportCursor {
  readonly plan: "days" | "runs";
  readonly part: number;
  readonly scan: ScanCursor | null;
}

interface ReportStep {
  /** The same names may come twice. */
  readonly rows: readonly GroupRow[];
  readonly sources: readonly ReportSource[];
  /** The rows have cost, runs and tokens of all runs, deleted ones included: those of other rows do not count. */
  readonly isTotal: boolean;
  /** Retention took away what was still to be read: nothing counts that was added up before. */
  readonly isAnew: boolean;
  /** When the first run that is stored was recorded, where retention has deleted others; null if it has not. */
  readonly keptFromMs: number | null;
  /** True if runs that retention has deleted are in the report. */
  readonly includesDeleted: boolean;
  readonly next: ReportCursor | null;
}

/** One step of a report, from the best source that knows it. The caller adds up the rows of all steps. */
export const sumUsage = query({
  refuses: ["validation_failed"],
  run(view, { report, cursor }: { report: Report; cursor: ReportCursor | null }) {
    const keptFromMs = findFirstKeptTime(view.sql);
    const { plan, part, scan } = cursor ?? begin(view, report, keptFromMs);
    const step: ReportStep = {
      rows: [],
      sources: ["days"],
      isTotal: false,
      isAnew: false,
      keptFromMs,
      includesDeleted: keptFromMs !== null && daysOf(report, plan) !== null,
      next: null,
    };
    const days = daysOf(report, plan);
    const reads = readsOf(report, plan);
    if (plan === "days" && part === 0 && days !== null) {
      const next = reads.length === 0 ? null : { plan, part: 1, scan: null };
      return { ...step, rows: wholeDays(view.sql, days), next };
    }
    const ask = reads[plan === "days" ? part - 1 : part];
    if (ask === undefined) {
      return { ...step, rows: days === null ? [] : totalsOfDays(view.sql, days), isTotal: true };
    }
    const found = scanUsage(view.sql, ask, scan);
    if (isRefusal(found)) return found;
    if (found.isLost || (plan === "days" && keptFromMs !== null))
      return { ...step, isAnew: true, sources: [], next: { plan: "runs", part: 0, scan: null } as const };
    const isLast = part >= reads.length - (plan === "days" ? 0 : 1);
    const after =
      isLast && !(plan === "runs" && step.includesDeleted) ? null : { plan, part: part + 1, scan: null };
    const next = found.next === null ? after : { plan, part, scan: found.next };
    return { ...step, rows: found.rows, sources: found.sources, next };
  },
});

/** By days, if they know all of it: runs that are deleted are in no other source. */
function begin(view: CheckpointedView, report: Report, keptFromMs: number | null): ReportCursor {
  const asked = daysAskOf(report.ask, report.timeZone);
  const isByDays =
    asked !== null && knowsDays(view.now, asked.days) && (keptFromMs === null || asked.edges.length === 0);
  return { plan: isByDays ? "days" : "runs", part: 0, scan: null };
}

function daysOf({ ask, timeZone }: Report, plan: ReportCursor["plan"]) {
  return plan === "runs" ? dailyAskOf(ask, timeZone) : (daysAskOf(ask, timeZone)?.days ?? null);
}

/** Returns what runs are read for. */
function readsOf({ ask, timeZone }: Report, plan: ReportCursor["plan"]): readonly ReportAsk[] {
  return plan === "runs" ? [ask] : (daysAskOf(ask, timeZone)?.edges ?? []);
}
