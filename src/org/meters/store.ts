import { readRows } from "../../storage/read-rows.ts";
import type { CheckpointedSql } from "../../storage/transaction.ts";
import { type BudgetUnit, type MeterKind, METERS, type OnlyKind } from "../../contract/meter-kinds.ts";
import type { CountedBy, Trait } from "../../contract/dimensions.ts";
import { NAMED_FIELDS, SCOPE_FIELDS, type ScopeKind, SCOPES } from "../../contract/scopes.ts";
import { countedBy } from "../../domain/meter/counted-by.ts";
import { type Increase, addIncreases } from "../../domain/meter/increase.ts";
import { type Match, traitsIn } from "../../domain/meter/match.ts";
import type { Meter, MeterWindow } from "../../domain/meter/meter.ts";
import type { Period } from "../../domain/time/period.ts";
import { indexMeters, type MeterIndex } from "../../domain/meter/limit-set.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { readInParts } from "../../storage/json-rows.ts";
import { forgetUsage, USAGE } from "./usage.ts";

/** Every limit of the org, of any kind, is a row of `meters`. Fields of only one kind are in `extra`. */
export type MeterRow = {
  id: string;
  kind: MeterKind;
  scope_kind: ScopeKind;
  scope_id: string;
  amount: string | null;
  period: Period;
  time_zone: string | null;
  mode: Meter["mode"];
  since: number;
  extra: string;
};

/** The row of a limit that an org has one of. Its kind determines scope and period. */
export function onlyMeterRow(
  kind: OnlyKind,
  own: Pick<MeterRow, "amount" | "since"> & Partial<Pick<MeterRow, "mode" | "time_zone" | "extra">>,
): MeterRow {
  const { scope, period } = METERS[kind];
  return {
    id: kind,
    kind,
    scope_kind: scope,
    scope_id: SCOPES[scope].countsEach ? "*" : "",
    period,
    mode: "enforce",
    time_zone: null,
    extra: "{}",
    ...own,
  };
}

/** The fields of a meter that its row's `extra` has. */
export interface MeterExtra {
  readonly thresholds?: readonly string[];
  readonly lowRoom?: string;
  readonly unit?: BudgetUnit;
  readonly match?: Match;
  readonly anchorDay?: number;
  readonly increases?: readonly Increase[];
  /** From when it counts, if that is before it was created. */
  readonly countsFromMs?: number;
}

/** A limit as it is at a time: an increase ends by itself. */
export function toMeter(row: MeterRow, nowMs: number): Meter {
  const {
    thresholds,
    lowRoom,
    unit,
    match,
    increases = [],
    countsFromMs,
  } = JSON.parse(row.extra) as MeterExtra;
  const raised = increases.filter(({ untilMs }) => untilMs > nowMs);
  return {
    id: row.id,
    kind: row.kind,
    scope: { kind: row.scope_kind, id: row.scope_id },
    limit: row.amount === null ? null : addIncreases(BigInt(row.amount), raised),
    window: windowIn(row),
    mode: row.mode,
    sinceMs: countsFromMs ?? row.since,
    ...(countsFromMs === undefined ? {} : { isBackdated: true }),
    ...(unit === undefined || unit === METERS[row.kind].unit ? {} : { unit }),
    ...(match === undefined ? {} : { match }),
    ...(raised.length === 0 ? {} : { limitUntilMs: Math.min(...raised.map(({ untilMs }) => untilMs)) }),
    ...(thresholds === undefined ? {} : { thresholds: thresholds.map(BigInt) }),
    ...(lowRoom === undefined ? {} : { lowRoom: BigInt(lowRoom) }),
  };
}

function windowIn({ kind, period, time_zone: timeZone, extra }: MeterRow): MeterWindow {
  if (kind === "spend_cap") return { kind: "local_day", timeZone: timeZone ?? "UTC" };
  const { anchorDay } = JSON.parse(extra) as MeterExtra;
  if (timeZone === null && anchorDay === undefined) return { kind: "period", period };
  return { kind: "calendar", period, timeZone: timeZone ?? "UTC", anchorDay: anchorDay ?? 1 };
}

/** A row of a kind, with the type that its noun writes. */
export function loadMeterRow<Row extends MeterRow = MeterRow>(
  sql: SqlStorage,
  id: string,
  kind: Row["kind"],
): Row | null {
  return sql.exec<Row>("SELECT * FROM meters WHERE id = ? AND kind = ?", id, kind).toArray()[0] ?? null;
}

/** Returns what its owner calls a limit. Null if it has no name, or is no more. */
export function meterName(sql: SqlStorage, id: string): string | null {
  const rows = sql.exec<{ name: string | null }>(
    "SELECT extra ->> '$.name' AS name FROM meters WHERE id = ?",
    id,
  );
  return rows.toArray()[0]?.name ?? null;
}

export function loadMetersById(sql: SqlStorage, ids: Iterable<string>, nowMs: number): Map<string, Meter> {
  const rows = readInParts([...ids], (json) =>
    sql.exec<MeterRow>("SELECT * FROM meters WHERE id IN (SELECT value FROM json_each(?))", json),
  );
  return new Map(rows.map((row) => [row.id, toMeter(row, nowMs)]));
}

/**
 * Rows that belong to the named customers: limits and credit packs. The limit for all other customers belongs to none.
 */
export function loadCustomerRows(sql: SqlStorage, customerIds: readonly string[]): MeterRow[] {
  return readInParts(customerIds, (json) =>
    sql.exec<MeterRow>(
      `SELECT * FROM meters WHERE scope_kind = 'customer' AND scope_id <> '*'
         AND scope_id IN (SELECT value FROM json_each(?))`,
      json,
    ),
  );
}

/** A few MB. */
const MOST_ROWS_KEPT = 5000;

/** Null: there are too many to keep. */
const limited = new TransactionalCache<readonly MeterRow[] | null>("replaced");

/** Every limit that has an amount and counts what calls take. They are kept in memory, because each look reads them all. */
export function loadLimitedRows(sql: SqlStorage): readonly MeterRow[] {
  const read = () =>
    Array.from(
      readRows(
        sql.exec<MeterRow>(
          `SELECT * FROM meters WHERE kind NOT IN ('credits', 'chain_cost', 'chain_depth', 'chain_tokens')
             AND amount IS NOT NULL AND mode <> 'count'`,
        ),
      ),
    );
  const kept = limited.get(sql, () => {
    const rows = read();
    return rows.length > MOST_ROWS_KEPT ? null : rows;
  });
  return kept ?? read();
}

/** Limits without increases, which are the same at any time, by their rows. */
const steady = new WeakMap<MeterRow, Meter>();

/** The same as `toMeter`, for rows that stay in memory and do not change. */
export function meterAt(row: MeterRow, nowMs: number): Meter {
  const known = steady.get(row);
  if (known !== undefined) return known;
  const meter = toMeter(row, nowMs);
  if (((JSON.parse(row.extra) as MeterExtra).increases ?? []).length === 0) steady.set(row, meter);
  return meter;
}

export function saveMeterRow(sql: SqlStorage, row: MeterRow): void {
  sql.exec(
    `INSERT INTO meters (id, kind, scope_kind, scope_id, amount, period, time_zone, mode, since, extra)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, period = excluded.period,
       time_zone = excluded.time_zone, mode = excluded.mode, since = excluded.since, extra = excluded.extra`,
    row.id,
    row.kind,
    row.scope_kind,
    row.scope_id,
    row.amount,
    row.period,
    row.time_zone,
    row.mode,
    row.since,
    row.extra,
  );
  known.forget(sql);
  limited.forget(sql);
}

/** A deleted limit loses its counters, so one created later with the same id starts empty. */
export function deleteMeter(sql: CheckpointedSql, id: string): void {
  sql.exec("DELETE FROM meters WHERE id = ?", id);
  sql.exec(`DELETE FROM ${USAGE.in(sql)} WHERE meter_id = ?`, id);
  forgetUsage(sql);
  known.forget(sql);
  limited.forget(sql);
}

/** When the windows of a meter were last recounted. */
export function recountedAt(sql: SqlStorage, id: string): number {
  return sql.exec<{ at: number }>("SELECT recounted_at AS at FROM meters WHERE id = ?", id).one().at;
}

export function noteRecount(sql: SqlStorage, id: string, now: number): void {
  sql.exec("UPDATE meters SET recounted_at = ? WHERE id = ?", now, id);
}

interface KnownMeters {
  readonly index: MeterIndex;
  /** The meters among them that count from before they were created. Null if none does. */
  readonly backdated: MeterIndex | null;
  /** Every trait that some limit looks at, beside the scopes. */
  readonly traits: readonly Trait[];
  /** Every field of calls that some limit counts by. */
  readonly countedBy: readonly CountedBy[];
  /** True if any customer has rows. In most orgs none has, and the lookup can be skipped. */
  readonly hasCustomerRows: boolean;
  /** When the first of these limits changes by itself. */
  readonly untilMs: number;
}

/** The meters that belong to no single customer, kept in memory between calls. */
const known = new TransactionalCache<KnownMeters>("replaced");

export function knownMeters(sql: SqlStorage, nowMs: number): KnownMeters {
  const found = known.get(sql, () => readMeters(sql, nowMs));
  if (nowMs < found.untilMs) return found;
  const again = readMeters(sql, nowMs);
  known.set(sql, again);
  return again;
}

const SCOPE_TRAITS: ReadonlySet<string> = new Set(SCOPE_FIELDS);

function readMeters(sql: SqlStorage, nowMs: number): KnownMeters {
  const rows = sql.exec<MeterRow>("SELECT * FROM meters WHERE scope_kind <> 'customer' OR scope_id = '*'");
  const meters = Array.from(readRows(rows), (row) => toMeter(row, nowMs));
  const own = "SELECT 1 FROM meters WHERE scope_kind = 'customer' AND scope_id <> '*' LIMIT 1";
  const index = indexMeters(meters);
  const backdated = meters.filter(({ isBackdated }) => isBackdated);
  const hasCustomerRows = sql.exec(own).toArray().length > 0;
  const matched = traitsIn(index.matching.matches);
  const scopes = NAMED_FIELDS.filter(([kind]) => index.byScope.has(kind)).map(([, field]) => field);
  return {
    index,
    backdated: backdated.length === 0 ? null : indexMeters(backdated),
    traits: matched.filter((trait) => !SCOPE_TRAITS.has(trait)),
    countedBy: countedBy([...matched, ...scopes, ...(hasCustomerRows ? (["customer_id"] as const) : [])]),
    hasCustomerRows,
    untilMs: Math.min(...meters.map(({ limitUntilMs = Number.POSITIVE_INFINITY }) => limitUntilMs)),
  };
}
