import { DAY_MS } from "../../contract/durations.ts";
import { RETENTION_BOUNDS } from "../../contract/lists.ts";
import { DATED_MS } from "../reservation/reservation-id.ts";

export type RetentionPolicy = {
  runsDays: number;
  auditDays: number;
  deliveriesDays: number;
  legalHold: boolean;
};

/** The default keeps everything for the maximum time. */
export const RETENTION_DEFAULT: RetentionPolicy = {
  runsDays: RETENTION_BOUNDS.runsDays.max,
  auditDays: RETENTION_BOUNDS.auditDays.max,
  deliveriesDays: RETENTION_BOUNDS.deliveriesDays.max,
  legalHold: false,
};

export type Due = { runs: number; audit: number; deliveries: number };

/** The time before which each kind is deleted. Undefined under a legal hold, which keeps everything. */
export function purgeBefore(policy: RetentionPolicy, now: number): Due | undefined {
  if (policy.legalHold) return undefined;
  return {
    runs: now - policy.runsDays * DAY_MS,
    audit: now - policy.auditDays * DAY_MS,
    deliveries: now - policy.deliveriesDays * DAY_MS,
  };
}

/**
 * Counters of a past window: a run that settles a hold is charged to the window of the hold, which lives for at most a
 * day and is remembered for a week.
 */
export const WINDOW_KEPT_MS = 30 * DAY_MS;

/**
 * A hold that was settled or released: as long as idempotent responses are stored, and as long as its id is recognized, so
 * that none that has ended counts as one that no isolate has reported.
 */
export const ENDED_HOLD_KEPT_MS = 2 * DATED_MS;

/** A hold that expired may still be settled by a late run. */
export const EXPIRED_HOLD_KEPT_MS = 7 * DAY_MS;

/** How long a run's id is known after the run was recorded, even if the run itself is deleted. */
export const RUN_ID_KEPT_MS = 400 * DAY_MS;

/** How far back forecasts look. */
export const FORECAST_MEMORY_DAYS = 400;

/** Daily sums outlive the runs, because forecasts use them. While runs are kept, their sums are too. */
export function dailySumsBefore({ runsDays }: RetentionPolicy, now: number): number {
  return now - Math.max(FORECAST_MEMORY_DAYS, runsDays) * DAY_MS;
}

/** The pause between two full steps, so that other calls are served. */
const PAUSE_MS = 250;

/** The next sweep: soon if the last step was full, otherwise a day later. */
export function nextSweep(now: number, stepWasFull: boolean): number {
  return now + (stepWasFull ? PAUSE_MS : DAY_MS);
}
