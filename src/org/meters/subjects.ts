import type { CheckpointedSql } from "../../storage/transaction.ts";
import { type CounterSize, type CounterTotal, largestCounters } from "./largest-counters.ts";
import { USAGE } from "./usage.ts";

/** Of the subjects that a limit counts separately, a list of limits shows as many as this. */
export const LIMITS_PER_METER = 50;

interface LargestQuery {
  readonly meterId: string;
  /** The window. */
  readonly startMs: number;
  readonly limit: number;
}

/** Returns whose counters have most in them in a window, reservations included. */
export function largestSubjects(sql: CheckpointedSql, asked: LargestQuery): readonly string[] {
  return countersOf(sql, asked).subjects;
}

/** Returns the same, with the sum of all counters. */
export function countersOf(sql: CheckpointedSql, asked: LargestQuery) {
  return largestCounters(sql, asked, (most) => ({
    largest: sql
      .exec<CounterSize & Record<string, SqlStorageValue>>(
        `SELECT subject, CAST(spent AS REAL) + CAST(over AS REAL) + CAST(held AS REAL) + CAST(leased AS REAL) AS size
         ${counters(sql)} ORDER BY size DESC LIMIT ?`,
        asked.meterId,
        asked.startMs,
        most,
      )
      .toArray(),
    total: totalOf(sql, asked),
  }));
}

const counters = (sql: CheckpointedSql) =>
  `FROM ${USAGE.in(sql)} WHERE meter_id = ? AND window_start = ? AND subject <> ''`;

/** Billions apart from the rest: a sum may exceed 64 bits, and the runtime reads integers as doubles. */
const PART = 1_000_000_000n;

function totalOf(sql: CheckpointedSql, { meterId, startMs }: LargestQuery): CounterTotal {
  const columns = ["spent", "over", "held", "leased"];
  const sums = columns.flatMap((name) => {
    const amount = `CAST(${name} AS INTEGER)`;
    return [
      `IFNULL(SUM(${amount} / ${PART}), 0) AS ${name}`,
      `IFNULL(SUM(${amount} % ${PART}), 0) AS ${name}_rest`,
    ];
  });
  const row = sql
    .exec<Record<string, number>>(`SELECT ${sums.join(", ")} ${counters(sql)}`, meterId, startMs)
    .one();
  const sumOf = (name: string) => BigInt(row[name] ?? 0) * PART + BigInt(row[`${name}_rest`] ?? 0);
  return { spent: sumOf("spent") + sumOf("over"), reserved: sumOf("held") + sumOf("leased") };
}
