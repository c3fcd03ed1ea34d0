import type { CheckpointedSql } from "../../storage/transaction.ts";
import { countsGroups, type Meter, namedIn, subjectOf, windowOf } from "../../domain/meter/meter.ts";
import { callNames } from "../../domain/run/segment/run-names.ts";
import { groupOf } from "../../domain/meter/traits.ts";
import type { Window } from "../../domain/time/period.ts";
import { adjustmentsOf, type StoredAdjustment } from "../adjustments/store.ts";
import type { CheckpointedTx } from "../kernel/door.ts";
import { leasedAnew } from "../leases/money.ts";
import { heldAmounts, heldIn, subjectIn } from "../decisions/hold-extras.ts";
import { allOpen, reservesOf } from "../decisions/open-holds.ts";
import type { HoldRow } from "../decisions/store.ts";
import { chargesSince } from "./charges.ts";
import { noteRecount } from "../meters/store.ts";
import { type MeterAccount, forgetUsage, loadUsage, newEntry, saveUsage, USAGE } from "../meters/usage.ts";

type OpenHold = Pick<HoldRow, "at" | "amount" | "customer_id" | "beside">;

/** As many counters are in memory at once. */
const MOST_IN_MEMORY = 10_000;

/** The counters of one meter while they are added up. Those that memory has no place for are written, and read again. */
class Counters {
  readonly #sql: SqlStorage;
  readonly #meter: Meter;
  readonly #entries = new Map<string, MeterAccount>();
  /** The last window by subject, because finding a window in a time zone costs more than checking the last one. */
  readonly #latest = new Map<string, MeterAccount>();
  #areSomeWritten = false;

  constructor(sql: SqlStorage, meter: Meter) {
    this.#sql = sql;
    this.#meter = meter;
  }

  at(someone: string, atMs: number): MeterAccount {
    const subject = subjectOf(this.#meter, someone);
    const latest = this.#latest.get(subject);
    if (latest !== undefined && isWithin(latest.window, atMs)) return latest;
    const made = newEntry(this.#meter, subject, atMs);
    const key = `${made.window.startMs} ${subject}`;
    const entry = this.#entries.get(key) ?? this.#again(made);
    this.#entries.set(key, entry);
    this.#latest.set(subject, entry);
    return entry;
  }

  write(): void {
    saveUsage(this.#sql, this.#entries.values());
  }

  /** One that may be written already. */
  #again(entry: MeterAccount): MeterAccount {
    if (this.#entries.size >= MOST_IN_MEMORY) {
      this.write();
      this.#entries.clear();
      this.#latest.clear();
      forgetUsage(this.#sql);
      this.#areSomeWritten = true;
    }
    if (this.#areSomeWritten) loadUsage(this.#sql, [entry]);
    return entry;
  }
}

/** Whose counter an adjustment belongs to by what its run said. */
function ownSubject(meter: Meter, { chain, customer, names }: StoredAdjustment): string {
  if (countsGroups(meter)) return groupOf(callNames(names), meter.match?.groupBy ?? []);
  return namedIn(meter, { chain, customer });
}

function* openHoldsOf(sql: CheckpointedSql, meter: Meter): Generator<OpenHold> {
  for (const hold of allOpen(sql)) {
    if (hold.at < meter.sinceMs || !reservesOf(hold, meter.id)) continue;
    const { at, amount, customer_id, beside } = hold;
    yield { at, amount, customer_id, beside };
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
export function recount(tx: CheckpointedTx, meter: Meter): void {
  const holds = [...openHoldsOf(tx.sql, meter)];
  const first = holds.reduce((earliest, { at }) => Math.min(earliest, at), tx.now);
  const fromMs = windowOf(meter, first).startMs;
  tx.sql.exec(`DELETE FROM ${USAGE.in(tx.sql)} WHERE meter_id = ?`, meter.id);
  forgetUsage(tx.sql);
  const counters = new Counters(tx.sql, meter);
  for (const { subject, atMs, amount, over } of chargesSince(tx.sql, meter, fromMs)) {
    const entry = counters.at(subject, atMs);
    const { usage } = entry;
    entry.usage = { ...usage, spent: usage.spent + amount - over, over: usage.over + over };
  }
  // None is charged to a time before it was made.
  for (const made of adjustmentsOf(tx.sql, meter.id, Math.max(fromMs, meter.sinceMs))) {
    const entry = counters.at(made.subjects?.[meter.id] ?? ownSubject(meter, made), made.at);
    const over = BigInt(made.over?.[meter.id] ?? 0);
    const { usage } = entry;
    entry.usage = { ...usage, spent: usage.spent + made.amount - over, over: usage.over + over };
  }
  for (const hold of holds) {
    const entry = counters.at(subjectIn(meter, hold), hold.at);
    entry.usage = { ...entry.usage, held: entry.usage.held + heldIn(meter, heldAmounts(hold)) };
  }
  for (const { subject, atMs, left } of leasedAnew(tx.sql, meter, tx.now)) {
    const entry = counters.at(subject, atMs);
    entry.usage = { ...entry.usage, leased: entry.usage.leased + left };
  }
  counters.write();
  noteRecount(tx.sql, meter.id, tx.now);
}
