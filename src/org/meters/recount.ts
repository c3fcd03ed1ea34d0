import { type Meter, windowOf } from "../../domain/meter.ts";
import type { Tx } from "../door.ts";
import { leasedAnew } from "../gate/money.ts";
import type { HoldRow } from "../holds/store.ts";
import { amountCharged } from "../runs/run.ts";
import { fromRow, RUN_COLUMNS, type RunRow } from "../runs/store.ts";
import { noteRecount } from "./store.ts";
import { type Entry, forgetUsage, newEntry, saveUsage } from "./usage.ts";

/**
 * Adds a meter's counters up anew from the runs and holds that name it, and the slices that isolates have of it, for the
 * windows that still matter: the current one and those where a hold stands. Needed when a limit's windows change under
 * what it has counted, and when one is made under the name of one that was ended.
 */
export function recount(tx: Tx, meter: Meter): void {
  const holds = tx.sql
    .exec<HoldRow>("SELECT * FROM holds WHERE status = 'open' AND at >= ?", meter.sinceMs)
    .toArray()
    .filter((hold) => ` ${hold.meters} `.includes(` ${meter.id} `));
  const moments = [tx.now, ...holds.map((hold) => hold.at)];
  const fromMs = Math.min(...moments.map((at) => windowOf(meter, at).startMs));
  const entries = new Map<string, Entry>();
  const entryAt = (subject: string, atMs: number): Entry => {
    const made = newEntry(meter, meter.scope.id === "*" ? subject : "", atMs);
    const key = `${made.window.startMs} ${made.subject}`;
    const there = entries.get(key);
    if (there !== undefined) return there;
    entries.set(key, made);
    return made;
  };
  for (const row of tx.sql.exec<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs ORDER BY seq DESC`)) {
    // Rows come latest first; none is charged to a time after it was recorded, nor to a meter that came later. One that
    // settles a hold may well be charged to a time before the meter.
    if (row.recorded_at < fromMs || row.recorded_at < meter.sinceMs) break;
    if (row.charged_at < fromMs) continue;
    const run = fromRow(row);
    if (!` ${run.charges} `.includes(` ${meter.id} `)) continue;
    const entry = entryAt((meter.scope.kind === "chain" ? run.chainId : run.customerId) ?? "", run.chargedAt);
    const over = BigInt(run.extra?.over?.[meter.id] ?? 0);
    const { usage } = entry;
    entry.usage = {
      ...usage,
      spent: usage.spent + amountCharged(run, meter.id) - over,
      over: usage.over + over,
    };
  }
  for (const hold of holds) {
    const entry = entryAt(hold.customer_id ?? "", hold.at);
    entry.usage = { ...entry.usage, held: entry.usage.held + BigInt(hold.amount) };
  }
  for (const { subject, atMs, left } of leasedAnew(tx.sql, meter, tx.now)) {
    const entry = entryAt(subject, atMs);
    entry.usage = { ...entry.usage, leased: entry.usage.leased + left };
  }
  tx.sql.exec("DELETE FROM usage WHERE meter_id = ?", meter.id);
  forgetUsage(tx.sql);
  saveUsage(tx.sql, entries.values());
  noteRecount(tx.sql, meter.id, tx.now);
}
