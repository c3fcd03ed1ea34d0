import type { CheckpointedSql } from "../../storage/transaction.ts";
import { type Counter, type CountersAsked, type CounterTotal, largestCounters } from "./largest-counters.ts";
import { USAGE } from "./usage.ts";

/** Of the subjects that a limit counts separately, a list of limits shows as many as this. */
export const LIMITS_PER_METER = 50;

const AMOUNTS = ["spent", "over", "held", "leased"];

type CounterRow = [subject: string, spent: string, over: string, held: string, leased: string];

/** Most counters have nothing but what was spent, and a text that is compared is not read as a number. */
function readLargest(sql: CheckpointedSql, asked: CountersAsked, most: number): Counter[] {
  const rows = sql
    .exec(
      `SELECT subject, spent, over, held, leased ${counters(sql)}
       ORDER BY iif(over = '0' AND held = '0' AND leased = '0', CAST(spent AS REAL),
         ${AMOUNTS.map((name) => `CAST(${name} AS REAL)`).join(" + ")}) DESC LIMIT ?`,
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

/** The counters that have most in them in a window, reservations included, with the sum of all where it is asked for. */
export function countersOf(sql: CheckpointedSql, asked: CountersAsked) {
  return largestCounters(sql, asked, {
    largest: (most) => readLargest(sql, asked, most),
    total: () => totalOf(sql, asked),
    count: (most) => countSome(sql, asked, most),
  });
}

const counters = (sql: CheckpointedSql) =>
  `FROM ${USAGE.in(sql)} WHERE meter_id = ? AND window_start = ? AND subject <> ''`;

function countSome(sql: CheckpointedSql, { meterId, startMs }: CountersAsked, most: number): number {
  const text = `SELECT COUNT(*) AS count FROM (SELECT 1 ${counters(sql)} LIMIT ?)`;
  return sql.exec<{ count: number }>(text, meterId, startMs, most).one().count;
}

/** Billions apart from the rest: a sum may exceed 64 bits, and the runtime reads integers as doubles. */
const PART = 1_000_000_000n;

function totalOf(sql: CheckpointedSql, { meterId, startMs }: CountersAsked): CounterTotal {
  const sumsOf = (sums: readonly string[]) =>
    [...sql.exec(`SELECT ${sums.join(", ")} ${counters(sql)}`, meterId, startMs).raw<number[]>()].flat();
  // SQLite adds integers exactly and returns a double, which is exact up to 2^53.
  const rough = sumsOf(AMOUNTS.map((name) => `TOTAL(${name}) FILTER (WHERE ${name} <> '0')`));
  const parts = () =>
    sumsOf(AMOUNTS.flatMap((name) => ["/", "%"].map((by) => `SUM(CAST(${name} AS INTEGER) ${by} ${PART})`)));
  const sums = rough.every(Number.isSafeInteger) ? rough.map(BigInt) : joined(parts());
  const [spent = 0n, over = 0n, held = 0n, leased = 0n] = sums;
  return { spent: spent + over, reserved: held + leased };
}

/** Billions and the rest, in turn. */
const joined = (parts: readonly number[]): bigint[] =>
  AMOUNTS.map((_, at) => BigInt(parts[2 * at] ?? 0) * PART + BigInt(parts[2 * at + 1] ?? 0));
