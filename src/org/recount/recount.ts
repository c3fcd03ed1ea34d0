import type { CheckpointedSql } from "../../storage/transaction.ts";
import { adjustAccount } from "../../domain/meter/adjustment.ts";
import {
  countsGroups,
  type Meter,
  countedName,
  subjectOf,
  unitOf,
  windowOf,
} from "../../domain/meter/meter.ts";
import { callNames } from "../../domain/run/segment/run-names.ts";
import { groupOf } from "../../domain/meter/traits.ts";
import type { Window } from "../../domain/time/period.ts";
import { adjustmentsSince, type StoredAdjustment } from "../adjustments/store.ts";
import type { CheckpointedTx } from "../kernel/door.ts";
import { leasedAnew } from "../leases/money.ts";
import { readHeldAmounts, readHeldAmount, subjectIn } from "../decisions/hold-extras.ts";
import { allOpen, reservesOf } from "../decisions/open-holds.ts";
import type { HoldRow } from "../decisions/store.ts";
import { announceCharges } from "../ledger/announce.ts";
import { chargesSince, isTouched } from "./charges.ts";
import { noteRecount } from "../meters/store.ts";
import { type MeterAccount, forgetUsage, loadUsage, newEntry, saveUsage, USAGE } from "../meters/usage.ts";

type OpenHold = Pick<HoldRow, "at" | "amount" | "customer_id" | "beside">;

/** As many counters are in memory at once. */
const MOST_IN_MEMORY = 10_000;

/** The counters of one meter while they are added up. Those that memory has no place for are written, and read again. */
class Counters {
  readonly #tx: CheckpointedTx;
  readonly #meter: Meter;
  /** The announcements that were made of each counter before. */
  readonly #notices: ReadonlyMap<string, string>;
  readonly #entries = new Map<string, MeterAccount>();
  /** The last window by subject, because finding a window in a time zone costs more than checking the last one. */
  readonly #latest = new Map<string, MeterAccount>();
  #areSomeWritten = false;

  constructor(tx: CheckpointedTx, meter: Meter, notices: ReadonlyMap<string, string>) {
    this.#tx = tx;
    this.#meter = meter;
    this.#notices = notices;
  }

  at(someone: string, atMs: number): MeterAccount {
    const subject = subjectOf(this.#meter, someone);
    const latest = this.#latest.get(subject);
    if (latest !== undefined && isWithin(latest.window, atMs)) return latest;
    const made = newEntry(this.#meter, subject, atMs);
    const key = `${made.window.startMs} ${subject}`;
    made.notices = this.#notices.get(key) ?? "";
    const entry = this.#entries.get(key) ?? this.#again(made);
    this.#entries.set(key, entry);
    this.#latest.set(subject, entry);
    return entry;
  }

  /** Spend from before the limit was created is announced at once: no charge announces it. */
  write(): void {
    const { sql, now } = this.#tx;
    const entries = [...this.#entries.values()];
    if (this.#meter.isBackdated === true) {
      announceCharges(
        this.#tx,
        entries.filter(({ window }) => isWithin(window, now)),
      );
    }
    saveUsage(sql, entries);
  }

  /** One that may be written already. */
  #again(entry: MeterAccount): MeterAccount {
    if (this.#entries.size >= MOST_IN_MEMORY) {
      this.write();
      this.#entries.clear();
      this.#latest.clear();
      forgetUsage(this.#tx.sql);
      this.#areSomeWritten = true;
    }
    if (this.#areSomeWritten) loadUsage(this.#tx.sql, [entry]);
    return entry;
  }
}

/** Returns whose counter an adjustment belongs to by what its run said. */
function ownSubject(meter: Meter, { chain, customer, names }: StoredAdjustment): string {
  if (countsGroups(meter)) return groupOf(callNames(names), meter.match?.groupBy ?? []);
  return countedName(meter, { chain, customer });
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

/** Only dollars are adjusted. */
function isCounted(meter: Meter, { charges, backdated = [], names }: StoredAdjustment): boolean {
  const isNamed = charges.includes(meter.id);
  if (meter.isBackdated !== true) return isNamed && !backdated.includes(meter.id);
  return isNamed || (unitOf(meter) === "usd" && isTouched(meter, names));
}

/**
 * Adds what was spent. A limit that counts from before it was created did not admit all of it: what is past the limit is over
 * it, as for runs that are reported as incurred.
 */
function addSpent(entry: MeterAccount, amount: bigint, over: bigint): void {
  if (entry.meter.isBackdated === true) adjustAccount(entry, amount);
  else {
    const { usage } = entry;
    entry.usage = { ...usage, spent: usage.spent + amount - over, over: usage.over + over };
  }
}

function noticesOf(sql: CheckpointedSql, meterId: string): Map<string, string> {
  const rows = sql.exec<{ subject: string; start: number; notices: string }>(
    `SELECT subject, window_start AS start, notices FROM ${USAGE.in(sql)} WHERE meter_id = ? AND notices <> ''`,
    meterId,
  );
  return new Map(rows.toArray().map(({ subject, start, notices }) => [`${start} ${subject}`, notices]));
}

/**
 * Recounts a meter from the runs and holds that name it and the slices that isolates have of it, for the windows that
 * still matter: the current one and those with a hold. Needed when a limit's windows or the time from which it counts
 * change, and when one is created under the name of a deleted one. Notices of windows that stay are not sent again.
 */
export function recount(tx: CheckpointedTx, meter: Meter, { areWindowsKept = false } = {}): void {
  const holds = [...openHoldsOf(tx.sql, meter)];
  const first = holds.reduce((earliest, { at }) => Math.min(earliest, at), tx.now);
  const fromMs = windowOf(meter, first).startMs;
  const counters = new Counters(tx, meter, areWindowsKept ? noticesOf(tx.sql, meter.id) : new Map());
  tx.sql.exec(`DELETE FROM ${USAGE.in(tx.sql)} WHERE meter_id = ?`, meter.id);
  forgetUsage(tx.sql);
  for (const hold of holds) {
    const entry = counters.at(subjectIn(meter, hold), hold.at);
    entry.usage = { ...entry.usage, held: entry.usage.held + readHeldAmount(meter, readHeldAmounts(hold)) };
  }
  for (const { subject, atMs, left } of leasedAnew(tx.sql, meter, tx.now)) {
    const entry = counters.at(subject, atMs);
    entry.usage = { ...entry.usage, leased: entry.usage.leased + left };
  }
  // After what is reserved, which leaves less room for it.
  for (const { subject, atMs, amount, over } of chargesSince(tx.sql, meter, fromMs)) {
    addSpent(counters.at(subject, atMs), amount, over);
  }
  // None is charged to a time before it was made.
  for (const made of adjustmentsSince(tx.sql, Math.max(fromMs, meter.sinceMs))) {
    if (!isCounted(meter, made)) continue;
    const entry = counters.at(made.subjects?.[meter.id] ?? ownSubject(meter, made), made.at);
    addSpent(entry, made.amount, BigInt(made.over?.[meter.id] ?? 0));
  }
  counters.write();
  noteRecount(tx.sql, meter.id, tx.now);
}
