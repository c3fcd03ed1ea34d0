import type { ChargeResult } from "../../domain/meter/admission.ts";
import { unitOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { Tx } from "../kernel/door.ts";
import type { Run } from "./run.ts";

/** One event for all runs of one call, so that a subscriber to a busy org gets batches, not a flood. */
export function announceRecorded(tx: Tx, runs: readonly Run[], nanos: bigint): void {
  if (runs.length === 0) return;
  tx.emit("run.recorded", {
    run_ids: runs.map((run) => run.id),
    count: runs.length,
    cost_usd: formatUsd(nanos),
  });
}

/** A fact exceeded limits that would have refused it. */
export function overEvent(run: Run, over: ChargeResult["over"]): object {
  return {
    run_id: run.id,
    reservation_id: run.extra?.reservation ?? null,
    cost_usd: formatUsd(run.cost),
    limits: over.map(({ account, amount }) => ({
      kind: account.meter.kind,
      id: account.meter.id,
      ...(unitOf(account.meter) === "usd" ? { over_usd: formatUsd(amount) } : { over: Number(amount) }),
    })),
  };
}
