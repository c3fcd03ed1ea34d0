import type { Meter, MeterKind, MeterWindow, ScopeKind } from "../../domain/meter.ts";
import type { Period } from "../../domain/period.ts";
import { indexMeters, type MeterIndex } from "../../domain/touch.ts";

/** Every limit of the org, whatever its kind, is a row of `meters`; what only its own noun knows is in `extra`. */
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

export function loadMetersById(sql: SqlStorage, ids: Iterable<string>): Map<string, Meter> {
  const rows = sql.exec<MeterRow>(
    "SELECT * FROM meters WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify([...ids]),
  );
  return new Map(rows.toArray().map((row) => [row.id, toMeter(row)]));
}

/** Rows of the named customers' own: limits and credit packs. */
export function loadCustomerRows(sql: SqlStorage, customerIds: readonly string[]): MeterRow[] {
  return sql
    .exec<MeterRow>(
      "SELECT * FROM meters WHERE scope_kind = 'customer' AND scope_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(customerIds),
    )
    .toArray();
}

interface KnownMeters {
  readonly index: MeterIndex;
  /** Whether any customer has rows of its own; most orgs' have none, and then nobody need look. */
  readonly hasCustomerRows: boolean;
}

/**
 * The meters that are not one customer's, in memory between calls. Whoever writes a meter forgets them; runs and
 * decisions, which write none, fill them in: so a rolled-back write can leave nothing wrong behind.
 */
const known = new WeakMap<SqlStorage, KnownMeters>();

export function knownMeters(sql: SqlStorage): KnownMeters {
  const there = known.get(sql);
  if (there !== undefined) return there;
  const rows = sql.exec<MeterRow>("SELECT * FROM meters WHERE scope_kind <> 'customer' OR scope_id = '*'");
  const index = indexMeters(rows.toArray().map(toMeter));
  const own = "SELECT 1 FROM meters WHERE scope_kind = 'customer' AND scope_id <> '*' LIMIT 1";
  const made = { index, hasCustomerRows: sql.exec(own).toArray().length > 0 };
  known.set(sql, made);
  return made;
}
