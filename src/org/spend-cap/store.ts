import type { SpendCap } from "../../contract/resources/spend-cap.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { formatInZone } from "../../domain/time/zone.ts";
import type { View } from "../kernel/door.ts";
import { amountsOf, entryNow, sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow } from "../meters/store.ts";

export const ID = "spend_cap";

export function toSpendCap(view: View, row: MeterRow): SpendCap {
  const entry = entryNow(view, row);
  const timezone = row.time_zone ?? "UTC";
  return {
    cap_usd: formatUsd(BigInt(row.amount ?? 0)),
    ...amountsOf(entry),
    alert_thresholds: sharesOf(row),
    timezone,
    resets_at: formatInZone(timezone, entry.window.endMs ?? 0),
  };
}

export function loadSpendCap(view: View): MeterRow | null {
  return loadMeterRow(view.sql, ID, ID);
}

export function spendCapNow(view: View): SpendCap | null {
  const row = loadSpendCap(view);
  return row === null ? null : toSpendCap(view, row);
}
