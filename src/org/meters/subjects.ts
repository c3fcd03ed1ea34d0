import type { CheckpointedSql } from "../../storage/transaction.ts";
import { USAGE } from "./usage.ts";

/** Of the subjects that a limit counts separately, a list of limits shows as many as this. */
export const LIMITS_PER_METER = 50;

/** Returns whose counters have most in them in a window, reservations included. */
export function largestSubjects(
  sql: CheckpointedSql,
  { meterId, startMs, limit }: { readonly meterId: string; readonly startMs: number; readonly limit: number },
): string[] {
  return sql
    .exec<{ subject: string }>(
      `SELECT subject FROM ${USAGE.in(sql)} WHERE meter_id = ? AND window_start = ? AND subject <> ''
       ORDER BY CAST(spent AS REAL) + CAST(over AS REAL) + CAST(held AS REAL) + CAST(leased AS REAL) DESC LIMIT ?`,
      meterId,
      startMs,
      limit,
    )
    .toArray()
    .map(({ subject }) => subject);
}
