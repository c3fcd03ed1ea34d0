import { accountKey } from "../../gate/decision/account-key.ts";
import type { Move, Orphan } from "../../gate/lease/lease-ledger.ts";
import { LEASE, type Terms } from "../../gate/lease/protocol.ts";
import { LAST_REPORTED_MS } from "../../gate/report/hold-line.ts";
import { amountOf } from "../../domain/refusal/limit-denials.ts";
import { type Account, type Meter, type Usage, unitOf, windowOf } from "../../domain/meter/meter.ts";
import { withHeld, withLeased, withoutLeased } from "../../domain/meter/usage.ts";
import type { HoldCounter } from "../decisions/hold-extras.ts";
import { loadMetersById, recountedAt } from "../meters/store.ts";
import { type MeterAccount, loadUsage, newEntry, saveUsage } from "../meters/usage.ts";
import type { Clock } from "../rate-limits/meters.ts";
import { leaseLedgerOf } from "./ledger-store.ts";

interface LeasedMeter {
  readonly key: string;
  readonly meterId: string;
  readonly startMs: number;
  readonly subject: string;
}

function named(key: string): LeasedMeter {
  const [, start = "", , meterId = "", , subject = ""] = key.split("\n");
  return { key, meterId, startMs: Number(start), subject };
}

/** Returns whether the limit is still the one that the key names, with the key's window. */
function stands({ key, startMs, subject }: LeasedMeter, meter: Meter): boolean {
  return accountKey(newEntry(meter, subject, startMs)) === key;
}

/**
 * The times whose windows contain what is leased under an outdated key: the time of the change, and the last at which a
 * slice from before it can be used.
 */
function momentsOf(changedAtMs: number): readonly number[] {
  return [changedAtMs, changedAtMs + LEASE.lifeMs];
}

/**
 * Returns what isolates have of a meter whose windows change now, and the time whose window it counts in from now on.
 */
export function* leasedAnew(sql: SqlStorage, meter: Meter, now: number) {
  for (const { slices } of leaseLedgerOf(sql).holders()) {
    for (const [key, { left }] of slices) {
      const name = named(key);
      if (name.meterId !== meter.id) continue;
      const { subject, startMs } = name;
      const moments = stands(name, meter) ? [startMs] : momentsOf(now);
      const windows = new Map(moments.map((atMs) => [windowOf(meter, atMs).startMs, atMs]));
      for (const atMs of windows.values()) yield { subject, atMs, left };
    }
  }
}

interface LeasedRoom {
  readonly meter: Meter;
  readonly subject: string;
  readonly stands: boolean;
  /** The counters in which it is leased. */
  readonly homes: readonly MeterAccount[];
}

/** The dollar limits of one report, read at once, changed in memory, and written once each. */
export class LeasedAccounts {
  readonly #sql: SqlStorage;
  readonly #clock: Clock;
  /** Null if the limit is gone. */
  readonly #leased = new Map<string, LeasedRoom | null>();
  /** One entry for each counter, even if several keys lead to it. */
  readonly #entries = new Map<string, MeterAccount>();
  #loaded = false;

  constructor(sql: SqlStorage, keys: Iterable<string>, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
    const names = Array.from(new Set(keys), named);
    const meters = loadMetersById(
      sql,
      names.map(({ meterId }) => meterId),
      clock.org,
    );
    for (const name of names) {
      const meter = meters.get(name.meterId);
      const { key, subject } = name;
      if (meter === undefined) {
        this.#leased.set(key, null);
        continue;
      }
      const stood = stands(name, meter);
      const moments = stood ? [name.startMs] : momentsOf(recountedAt(sql, meter.id));
      const homes = new Set(moments.map((atMs) => this.#entry(meter, subject, atMs)));
      this.#leased.set(key, { meter, subject, stands: stood, homes: [...homes] });
    }
    loadUsage(sql, [...this.#entries.values()]);
    this.#loaded = true;
  }

  get(key: string): Account | null {
    const found = this.#leased.get(key);
    return found?.stands === true ? (found.homes[0] ?? null) : null;
  }

  terms(key: string): Terms | null {
    const entry = this.get(key);
    if (entry === null || entry.meter.limit === null) return null;
    const { spent, over, held } = entry.usage;
    // A slice of a limit that is about to fall could admit what no longer fits once it has.
    const endsAt = Math.min(
      entry.window.endMs ?? Number.POSITIVE_INFINITY,
      entry.meter.limitUntilMs ?? Number.POSITIVE_INFINITY,
    );
    const endsIn = endsAt - this.#clock.org;
    if (endsIn <= 0) return null;
    return {
      limit: entry.meter.limit,
      used: spent + over + held,
      lifeMs: Math.min(LEASE.lifeMs, endsIn),
      lingerMs: LEASE.longestHoldMs,
      ...(Number.isFinite(endsAt) ? { endsAt: this.#clock.real + endsIn } : {}),
    };
  }

  /**
   * The earliest time that a hold under these keys can count from. An isolate's estimate of the org's time is slightly
   * behind, so what it held of a window was held inside it.
   */
  heldSince(keys: readonly string[]): number {
    let latest = 0;
    for (const key of keys) {
      const found = this.#leased.get(key);
      if (found?.stands !== true) continue;
      latest = Math.max(latest, found.homes[0]?.window.startMs ?? 0, found.meter.sinceMs);
    }
    return latest;
  }

  /** The latest time that a hold under these keys can count from: in another window it would end where it is not held. */
  heldUntil(keys: readonly string[]): number {
    let first = LAST_REPORTED_MS;
    for (const key of keys) {
      const found = this.#leased.get(key);
      if (found?.stands === true) first = Math.min(first, (found.homes[0]?.window.endMs ?? first + 1) - 1);
    }
    return first;
  }

  /** Returns what a hold takes of the limit that is leased under a key. */
  amountIn(key: string, hold: { readonly nanos: bigint; readonly tokens: number }): bigint {
    const meter = this.#leased.get(key)?.meter;
    return amountOf(meter === undefined ? "usd" : unitOf(meter), { ...hold, depth: 0 });
  }

  /** The counters under these keys, without those of limits that are gone. */
  standing(keys: readonly string[]): HoldCounter[] {
    return keys.flatMap((key) => this.#leased.get(key) ?? []);
  }

  /** The keys whose holds are not counted where they were leased. */
  astray(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#leased.get(key)?.stands === false);
  }

  /** Holds an amount in the window of its time. A hold from before the limit existed does not count. */
  holdAstray(key: string, { atMs, amount }: { readonly atMs: number; readonly amount: bigint }): void {
    const found = this.#leased.get(key);
    if (found === undefined || found === null || found.meter.sinceMs > atMs) return;
    const entry = this.#entry(found.meter, found.subject, atMs);
    entry.usage = withHeld(entry.usage, amount);
  }

  /** Applies a report. `dropped` is the part of what was held that no hold here stands for. */
  apply(key: string, { used, covered, returned, added }: Move, dropped: bigint): void {
    for (const entry of this.#homesOf(key)) {
      const freed = withHeld(withoutSlice(entry.usage, covered + returned), used - dropped);
      entry.usage = withLeased(freed, added);
    }
  }

  /** Takes back slices whose last possible hold has ended. */
  free(orphans: readonly Orphan[]): void {
    for (const { meter: key, left } of orphans) {
      for (const entry of this.#homesOf(key)) entry.usage = withoutSlice(entry.usage, left);
    }
  }

  /** An amount that is moved elsewhere than in its counters would stay leased for good. */
  #homesOf(key: string): readonly MeterAccount[] {
    const found = this.#leased.get(key);
    if (found === undefined) throw new Error(`the account of a slice was not read: ${key}`);
    return found?.homes ?? [];
  }

  save(): void {
    saveUsage(this.#sql, this.#entries.values());
  }

  #entry(meter: Meter, subject: string, atMs: number): MeterAccount {
    const made = newEntry(meter, subject, atMs);
    const key = `${meter.id}\n${made.window.startMs}\n${subject}`;
    const there = this.#entries.get(key);
    if (there !== undefined) return there;
    this.#entries.set(key, made);
    if (this.#loaded) loadUsage(this.#sql, [made]);
    return made;
  }
}

/** A slice from before a limit changed may be leased in two windows, and be gone from one of them. */
function withoutSlice(usage: Usage, amount: bigint): Usage {
  return withoutLeased(usage, amount < usage.leased ? amount : usage.leased);
}
