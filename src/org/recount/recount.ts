import { type Meter, subjectOf, windowOf } from "../../domain/meter.ts";
import type { Window } from "../../domain/period.ts";
import { adjustmentsOf } from "../adjustments/store.ts";
import type { Tx } from "../kernel/door.ts";
import { leasedAnew } from "../leases/money.ts";
import { besideOf, heldIn } from "../decisions/held.ts";
import type { HoldRow } from "../decisions/store.ts";
import { chargesSince } from "./charges.ts";
import { noteRecount } from "../meters/store.ts";
import { type Entry, forgetUsage, newEntry, saveUsage } from "../meters/usage.ts";

type OpenHold = Pick<HoldRow, "at" | "amount" | "customer_id" | "beside">;

/** The counters of one meter while they are added up. */
class Counters {
  readonly #meter: Meter;
  readonly #entries = new Map<string, Entry>();
  /** The last window by subject, because finding a window in a time zone costs more than checking the last one. */
  readonly #latest = new Map<string, Entry>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  at(someone: string, atMs: number): Entry {
    const subject = subjectOf(this.#meter, someone);
    const latest = this.#latest.get(subject);
    if (latest !== undefined && isWithin(latest.window, atMs)) return latest;
    const made = newEntry(this.#meter, subject, atMs);
    const key = `${made.window.startMs} ${subject}`;
    const entry = this.#entries.get(key) ?? made;
    this.#entries.set(key, entry);
    this.#latest.set(subject, entry);
    return entry;
  }

  entries(): Iterable<Entry> {
    return this.#entries.values();
  }
}

function isWithin({ startMs, endMs }: Window, atMs: number): boolean {
  return startMs <= atMs && (endMs === null || atMs < endMs);
}

/**
 * Recounts a meter from the runs and holds that name it and the slices that isolates have of it, for the windows that
 * still matter: the current one and those with a hold. Needed when a limit's windows change, and when one is created
 * under the name of a deleted one.
 */
export function recount(tx: Tx, meter: Meter): void {
  const open = "FROM holds WHERE status = 'open' AND at >= ?1 AND instr(' ' || meters || ' ', ?2) > 0";
  const named = [meter.sinceMs, ` ${meter.id} `] as const;
  const { first } = tx.sql.exec<{ first: number | null }>(`SELECT MIN(at) AS first ${open}`, ...named).one();
  const fromMs = windowOf(meter, Math.min(tx.now, first ?? tx.now)).startMs;
  const counters = new Counters(meter);
  for (const { subject, atMs, amount, over } of chargesSince(tx.sql, meter, fromMs)) {
    const entry = counters.at(subject, atMs);
    const { usage } = entry;
    entry.usage = { ...usage, spent: usage.spent + amount - over, over: usage.over + over };
  }
  // None is charged to a time before it was made.
  for (const made of adjustmentsOf(tx.sql, meter.id, Math.max(fromMs, meter.sinceMs))) {
    const own = meter.scope.kind === "chain" ? made.chain : made.customer;
    const entry = counters.at(made.subjects?.[meter.id] ?? own ?? "", made.at);
    const over = BigInt(made.over?.[meter.id] ?? 0);
    const { usage } = entry;
    entry.usage = { ...usage, spent: usage.spent + made.amount - over, over: usage.over + over };
  }
  const holds = tx.sql.exec<OpenHold>(`SELECT at, amount, customer_id, beside ${open}`, ...named);
  for (const hold of holds) {
    const subject = meter.scope.kind === "chain" ? besideOf(hold).chain : hold.customer_id;
    const entry = counters.at(subject ?? "", hold.at);
    entry.usage = { ...entry.usage, held: entry.usage.held + heldIn(meter, hold) };
  }
  for (const { subject, atMs, left } of leasedAnew(tx.sql, meter, tx.now)) {
    const entry = counters.at(subject, atMs);
    entry.usage = { ...entry.usage, leased: entry.usage.leased + left };
  }
  tx.sql.exec("DELETE FROM usage WHERE meter_id = ?", meter.id);
  forgetUsage(tx.sql);
  saveUsage(tx.sql, counters.entries());
  noteRecount(tx.sql, meter.id, tx.now);
}
