import type { CheckpointedSql } from "../../storage/transaction.ts";
import { type Counter, type CountersAsked, type CounterTotal, largestCounters } from "./largest-counters.ts";
import { USAGE } from "./usage.ts";

/** Of the subjects that a limit counts separately, a list of limits shows as many as this. */
export const LIMITS_PER_METER = 50;

/** Returns the counters that have most in them in a window, reservations included. */
export function largestOf(sql: CheckpointedSql, asked: CountersAsked): readonly Counter[] {
  return countersOf(sql, asked).counters;
}

type CounterRow = [subject: string, spent: string, over: string, held: string, leased: string];

function readLargest(sql: CheckpointedSql, asked: CountersAsked, most: number): Counter[] {
  const rows = sql
    .exec(
      `SELECT subject, spent, over, held, leased ${counters(sql)}
       ORDER BY CAST(spent AS REAL) + ${["over", "held", "leased"].map(amountIn).join(" + ")} DESC LIMIT ?`,
      asked.meterId,
      asked.startMs,
      most,
    )
    .raw<CounterRow>();
  return Array.from(rows, ([subject, spent, over, held, leased]) => ({
    subject,
    usage: { spent: BigInt(spent), over: BigInt(over), held: BigInt(held), leased: BigInt(leased) },
  }));
}

/** Most counters have nothing but what was spent, and a text that is compared is not read as a number. */
const amountIn = (column: string) => `iif(${column} = '0', 0, CAST(${column} AS REAL))`;

/** Returns the same, with the sum of all counters where it is asked for. */
export function countersOf(sql: CheckpointedSql, asked: CountersAsked) {
  return largestCounters(sql, asked, {
    largest: (most) => readLargest(sql, asked, most),
    total: () => totalOf(sql, asked),
  });
}

const counters = (sql: CheckpointedSql) =>
  `FROM ${USAGE.in(sql)} WHERE meter_id = ? AND window_start = ? AND subject <> ''`;

/** Billions apart from the rest: a sum may exceed 64 bits, and the runtime reads integers as doubles. */
const PART = 1_000_000_000n;

function totalOf(sql: CheckpointedSql, { meterId, startMs }: CountersAsked): CounterTotal {
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
