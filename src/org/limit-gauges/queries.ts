import type { Unit } from "../../contract/meter-kinds.ts";
import type { LimitReading } from "../../domain/metric/limit-families.ts";
import { countsApart, totalSpent, unitOf } from "../../domain/meter/meter.ts";
import { query, type View } from "../kernel/door.ts";
import { type MeterRow, toMeter } from "../meters/store.ts";
import { loadUsage, newEntry } from "../meters/usage.ts";

/** At most this many limits are shown. The rest is counted. */
const MOST_LIMITS = 1000;

/** Every limit of the org with its current counters. Those of single customers come last. */
export const readLimits = query({
  refuses: [],
  run(view) {
    const rows = view.sql
      .exec<MeterRow>("SELECT * FROM meters ORDER BY scope_kind = 'customer', id LIMIT ?", MOST_LIMITS)
      .toArray();
    const { n } = view.sql.exec<{ n: number }>("SELECT count(*) AS n FROM meters").one();
    return { limits: readingsOf(view, rows), left_out: n - rows.length };
  },
});

function readingsOf(view: View, rows: readonly MeterRow[]): LimitReading[] {
  const entries = rows.map((row) => newEntry(toMeter(row, view.now), "", view.now));
  loadUsage(view.sql, entries);
  return entries.map(({ meter, window, usage }) => {
    const unit = unitOf(meter);
    // Where each customer, chain or group has a counter of its own, there is no one value.
    const isOne = !countsApart(meter) && unit !== "depth";
    const period = meter.window.kind === "local_day" ? "day" : meter.window.period;
    return {
      labels: {
        kind: meter.kind,
        id: meter.id,
        unit,
        scope_kind: meter.scope.kind,
        scope_id: meter.scope.id,
        period,
        mode: meter.mode,
      },
      limit: meter.limit === null ? null : shown(unit, meter.limit),
      spent: isOne ? shown(unit, totalSpent(usage)) : null,
      reserved: isOne ? shown(unit, usage.held + usage.leased) : null,
      resetsInSeconds: window.endMs === null ? null : Math.max(0, (window.endMs - view.now) / 1000),
    };
  });
}

function shown(unit: Unit, amount: bigint): number {
  return unit === "usd" ? Number(amount) / 1e9 : Number(amount);
}
