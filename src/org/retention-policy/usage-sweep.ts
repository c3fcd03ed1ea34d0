import type { Table } from "../../storage/table.ts";
import { RATE_COUNTS } from "../rate-limits/meters.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { firstBucket, readPolicy } from "../../domain/rate/policy.ts";
import { dailySumsBefore, nextSweep, WINDOW_KEPT_MS } from "../../domain/run/retention.ts";
import { windowOf } from "../../domain/meter/meter.ts";
import { forgetAfter } from "../decisions/forget.ts";
import type { CheckpointedTx, Tx } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { runInParts } from "../../storage/json-rows.ts";
import { loadMetersById } from "../meters/store.ts";
import { forgetUsage, USAGE } from "../meters/usage.ts";
import { loadRateLimits } from "../rate-limits/store.ts";
import { DAILY_USAGE, forgetDaily } from "../runs/daily.ts";
import { loadRetention } from "./policy.ts";

/** How many rows one step scans. */
const STEP = 2_000;

type Row = Record<string, string | number>;

interface Counters {
  readonly table: Table;
  /** The primary key: a step continues where the previous one ended. */
  readonly key: readonly string[];
  readonly also?: readonly string[];
  /** Says which rows are no longer read. */
  over(tx: Tx, rows: readonly Row[]): readonly Row[];
}

/**
 * A past window may still get a charge, from a run that settles a hold made in it. Slices that isolates hold of it stay
 * until they have reported. A window without an end is never past.
 */
const WINDOWS: Counters = {
  table: USAGE,
  key: ["meter_id", "subject", "window_start"],
  also: ["held", "leased"],
  over(tx, rows) {
    const meters = loadMetersById(tx.sql, new Set(rows.map((row) => String(row["meter_id"]))), tx.now);
    return rows.filter((row) => {
      const meter = meters.get(String(row["meter_id"]));
      if (meter === undefined || row["held"] !== "0" || row["leased"] !== "0") return false;
      const { endMs } = windowOf(meter, Number(row["window_start"]));
      return endMs !== null && endMs + WINDOW_KEPT_MS <= tx.now;
    });
  },
};

const DAYS: Counters = {
  table: DAILY_USAGE,
  key: ["scope_kind", "scope_id", "day"],
  over(tx, rows) {
    const before = dailySumsBefore(loadRetention(tx.sql), tx.now);
    const firstDay = new Date(before).toISOString().slice(0, 10);
    return rows.filter((row) => String(row["day"]) < firstDay);
  },
};

/** Counters of customers who never came back. */
const RATES: Counters = {
  table: RATE_COUNTS,
  key: ["meter"],
  also: ["taken"],
  over(tx, rows) {
    const policies = [readPolicy(0), ...loadRateLimits(tx.sql).policies];
    const firstOf = new Map(policies.map((policy) => [policy.id, firstBucket(policy, tx.now)]));
    return rows.filter((row) => {
      const [policy = ""] = String(row["meter"]).split(" ");
      const [last = 0] = (JSON.parse(String(row["taken"])) as (readonly number[])[]).at(-1) ?? [];
      return last < (firstOf.get(policy) ?? Number.POSITIVE_INFINITY);
    });
  },
};

const ALL: readonly Counters[] = [WINDOWS, DAYS, RATES];

/** The key of the row is the progress of the walk: the table, or the pages of holds after all of them, and the last key. */
type SweepPosition = readonly [table: number, ...after: (string | number)[]];

/** Walks all counters once, in bounded steps, and deletes those that are no longer read. */
export const sweepUsage: DueHandler = {
  kind: "change",
  run(tx, key) {
    if (loadRetention(tx.sql).legalHold) return;
    const place: SweepPosition = key === "" ? [0] : (JSON.parse(key) as SweepPosition);
    const next = step(tx, place);
    if (next !== null) tx.schedule(DUE.usageSweep, JSON.stringify(next), nextSweep(tx.now, true));
  },
};

function step(tx: CheckpointedTx, [at, ...after]: SweepPosition): SweepPosition | null {
  const counters = ALL[at];
  if (counters === undefined) {
    const next = forgetAfter(tx.sql, Number(after[0] ?? 0), tx.now);
    return next === null ? null : [at, next];
  }
  const { key, also = [] } = counters;
  const table = counters.table.in(tx.sql);
  const names = key.join(", ");
  const beyond = after.length === 0 ? "true" : `(${names}) > (${key.map(() => "?").join(", ")})`;
  const rows = tx.sql
    .exec<Row>(
      `SELECT ${[...key, ...also].join(", ")} FROM ${table} WHERE ${beyond} ORDER BY ${names} LIMIT ?`,
      ...after,
      STEP,
    )
    .toArray();
  const over = counters.over(tx, rows);
  if (over.length > 0) {
    const keys = over.map((row) => key.map((name) => row[name]));
    const parts = key.map((_, index) => `value ->> ${index}`).join(", ");
    forgetUsage(tx.sql);
    forgetDaily(tx.sql);
    runInParts(keys, (json) =>
      tx.sql.exec(`DELETE FROM ${table} WHERE (${names}) IN (SELECT ${parts} FROM json_each(?))`, json),
    );
  }
  const last = rows.at(-1);
  if (rows.length < STEP || last === undefined) return [at + 1];
  return [at, ...key.map((name) => last[name] ?? "")];
}
