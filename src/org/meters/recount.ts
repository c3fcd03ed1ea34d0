import { type Meter, NO_USAGE, windowOf } from "../../domain/meter.ts";
import type { Tx } from "../door.ts";
import type { HoldRow } from "../holds/store.ts";
import { amountCharged, fromRow, RUN_COLUMNS, type RunRow } from "../runs/store.ts";
import { type Entry, newEntry, saveUsage } from "./usage.ts";

/**
 * Adds a meter's counters up anew from the runs and holds that name it, for the windows that still matter: the
 * current one and those where a hold stands. Needed when a limit's windows change under what it has counted.
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
  replaceCounters(tx.sql, meter, entries.values());
}

/** Leases are not the ledger's to move: what is leased of a window stays leased of it. */
function replaceCounters(sql: SqlStorage, meter: Meter, entries: Iterable<Entry>): void {
  sql.exec("DELETE FROM usage WHERE meter_id = ? AND leased = '0'", meter.id);
  sql.exec("UPDATE usage SET spent = '0', over = '0', held = '0' WHERE meter_id = ?", meter.id);
  for (const entry of entries) {
    const leased = sql
      .exec<{ leased: string }>(
        "SELECT leased FROM usage WHERE meter_id = ? AND subject = ? AND window_start = ?",
        meter.id,
        entry.subject,
        entry.window.startMs,
      )
      .toArray()[0]?.leased;
    entry.usage = { ...entry.usage, leased: BigInt(leased ?? 0) };
    entry.stored = { usage: NO_USAGE, notices: "" };
    saveUsage(sql, [entry]);
  }
}
