import type { CustomerLimit } from "../../contract/resources/customer-limits.ts";
import { publishedPeriod } from "../../domain/refusal/limit-denials.ts";
import { countsApart } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { View } from "../kernel/door.ts";
import { entryNow, limitAmounts, sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow } from "../meters/store.ts";

/** The row for all customers counts each of them separately, so it has no amounts of its own. */
export function toCustomerLimit(view: View, row: MeterRow): CustomerLimit {
  const entry = entryNow(view, row);
  const none = { spent_usd: null, reserved_usd: null, available_usd: null, over_usd: null };
  return {
    id: row.id,
    customer_id: row.scope_id,
    limit_usd: formatUsd(BigInt(row.amount ?? 0)),
    period: row.period,
    alert_thresholds: sharesOf(row),
    ...(countsApart(entry.meter) ? none : limitAmounts(entry)),
    ...publishedPeriod(entry),
    created_at: new Date(row.since).toISOString(),
  };
}

export function loadCustomerLimit(view: View, id: string): MeterRow | null {
  return loadMeterRow(view.sql, id, "customer_limit");
}

export function customerLimitNow(view: View, input: { id: string }): CustomerLimit | null {
  const row = loadCustomerLimit(view, input.id);
  return row === null ? null : toCustomerLimit(view, row);
}
