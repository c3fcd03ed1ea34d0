import { type MeterKind, METERS, type OnlyKind } from "../../contract/meter-kinds.ts";
import { type ScopeKind, SCOPES } from "../../contract/scopes.ts";
import type { Meter, MeterWindow } from "../../domain/meter.ts";
import type { Period } from "../../domain/period.ts";
import { indexMeters, type MeterIndex } from "../../domain/touch.ts";
import { Copy } from "../kernel/copies.ts";
import { readInParts } from "../kernel/json-rows.ts";
import { forgetUsage } from "./usage.ts";

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

export function toMeter(row: MeterRow): Meter {
  const window: MeterWindow =
    row.time_zone === null
      ? { kind: "period", period: row.period }
      : { kind: "local_day", timeZone: row.time_zone };
  const { thresholds, lowRoom } = JSON.parse(row.extra) as {
    thresholds?: readonly string[];
    lowRoom?: string;
  };
  return {
    id: row.id,
    kind: row.kind,
    scope: { kind: row.scope_kind, id: row.scope_id },
    limit: row.amount === null ? null : BigInt(row.amount),
    window,
    mode: row.mode,
    sinceMs: row.since,
    ...(thresholds === undefined ? {} : { thresholds: thresholds.map(BigInt) }),
    ...(lowRoom === undefined ? {} : { lowRoom: BigInt(lowRoom) }),
  };
}

/** A row of a kind, with the type that its noun writes. */
export function loadMeterRow<Row extends MeterRow = MeterRow>(
  sql: SqlStorage,
  id: string,
  kind: Row["kind"],
): Row | null {
  return sql.exec<Row>("SELECT * FROM meters WHERE id = ? AND kind = ?", id, kind).toArray()[0] ?? null;
}

export function loadMetersById(sql: SqlStorage, ids: Iterable<string>): Map<string, Meter> {
  const rows = readInParts([...ids], (json) =>
    sql.exec<MeterRow>("SELECT * FROM meters WHERE id IN (SELECT value FROM json_each(?))", json),
  );
  return new Map(rows.map((row) => [row.id, toMeter(row)]));
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
}

/** A deleted limit loses its counters, so one created later with the same id starts empty. */
export function deleteMeter(sql: SqlStorage, id: string): void {
  sql.exec("DELETE FROM meters WHERE id = ?", id);
  sql.exec("DELETE FROM usage WHERE meter_id = ?", id);
  forgetUsage(sql);
  known.forget(sql);
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
  /** Whether any customer has rows. In most orgs none has, and the lookup can be skipped. */
  readonly hasCustomerRows: boolean;
}

/** The meters that belong to no single customer, kept in memory between calls. */
const known = new Copy<KnownMeters>();

export function knownMeters(sql: SqlStorage): KnownMeters {
  return known.get(sql, () => readMeters(sql));
}

function readMeters(sql: SqlStorage): KnownMeters {
  const rows = sql.exec<MeterRow>("SELECT * FROM meters WHERE scope_kind <> 'customer' OR scope_id = '*'");
  const index = indexMeters(rows.toArray().map(toMeter));
  const own = "SELECT 1 FROM meters WHERE scope_kind = 'customer' AND scope_id <> '*' LIMIT 1";
  return { index, hasCustomerRows: sql.exec(own).toArray().length > 0 };
}
