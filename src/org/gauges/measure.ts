import type { GaugeName, GaugeValue } from "../../contract/metrics.ts";
import { isRateKey } from "../../domain/rate/policy.ts";
import { countOpen } from "../decisions/open-holds.ts";
import type { View } from "../kernel/door.ts";
import { nextDueAt } from "../kernel/due/table.ts";
import { waitingSince } from "../exports/lag.ts";
import { countRetried } from "../webhooks/subscriptions.ts";
import { leaseLedgerOf } from "../leases/ledger-store.ts";

/**
 * The gauges that an object tells the platform. A time is by the org's clock. Null if there is nothing of this kind. Of
 * an org without exports, no window waits.
 */
const MEASURES: Readonly<Record<GaugeName, (view: View) => number | null>> = {
  svc_holds_open: ({ sql }) => countOpen(sql) || null,
  svc_lease_nano_usd: ({ sql }) => leasedNanos(sql) || null,
  svc_due_oldest_seconds: ({ sql }) => nextDueAt(sql),
  svc_webhook_failing: ({ sql }) => countRetried(sql) || null,
  svc_export_lag_seconds: ({ sql }) => waitingSince(sql),
};

const TIMES: ReadonlySet<GaugeName> = new Set(["svc_due_oldest_seconds", "svc_export_lag_seconds"]);

/** `offsetMs`: how far the org's clock is ahead of the real one, which all orgs share. */
export function measure(view: View, offsetMs: number): GaugeValue[] {
  return (Object.keys(MEASURES) as GaugeName[]).map((name) => {
    const value = MEASURES[name](view);
    return [name, value !== null && TIMES.has(name) ? value - offsetMs : value];
  });
}

function leasedNanos(sql: SqlStorage): number {
  let nanos = 0n;
  for (const { slices } of leaseLedgerOf(sql).holders()) {
    for (const [meter, { left }] of slices) if (!isRateKey(meter)) nanos += left;
  }
  return Number(nanos);
}
