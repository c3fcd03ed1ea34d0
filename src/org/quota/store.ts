import type { Quota } from "../../contract/resources/quota.ts";
import { availableOf } from "../../domain/refusal/limit-denials.ts";
import { totalSpent } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { View } from "../kernel/door.ts";
import { entryNow, sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow, toMeter } from "../meters/store.ts";

export const ID = "quota";

export function loadQuota(view: View): MeterRow | null {
  return loadMeterRow(view.sql, ID, ID);
}

/** The balance below which a low balance is announced. Null for never. */
export function lowOf(row: MeterRow): bigint | null {
  return toMeter(row, row.since).lowRoom ?? null;
}

/** The prepaid balance: what was topped up minus what was spent. Facts may overdraw it. */
export function toQuota(view: View, row: MeterRow): Quota {
  const entry = entryNow(view, row);
  const balance = BigInt(row.amount ?? 0) - totalSpent(entry.usage);
  const low = lowOf(row);
  return {
    balance_usd: formatUsd(balance < 0n ? 0n : balance),
    reserved_usd: formatUsd(entry.usage.held + entry.usage.leased),
    available_usd: formatUsd(availableOf(entry)),
    overdrawn_usd: formatUsd(balance < 0n ? -balance : 0n),
    low_balance_usd: low === null ? null : formatUsd(low),
    alert_thresholds: sharesOf(row),
  };
}

export function quotaNow(view: View): Quota | null {
  const row = loadQuota(view);
  return row === null ? null : toQuota(view, row);
}
