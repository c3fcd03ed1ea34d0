import type { Move, Orphan } from "../../domain/lease/book.ts";
import { LEASE, type Terms } from "../../domain/lease/protocol.ts";
import type { Account } from "../../domain/meter.ts";
import { leaseToHold, withHeld, withLeased, withoutLeased } from "../../domain/usage.ts";
import { loadMetersById } from "../meters/store.ts";
import { type Entry, loadUsage, newEntry, saveUsage } from "../meters/usage.ts";
import type { Clock } from "../rates/meters.ts";

/** What a slice of a limit in dollars is leased under: the meter, whose count it is, and the window it belongs to. */
export function accountKey({ meter, subject, window }: Account): string {
  return `usd\n${window.startMs}\n${meter.id}\n${subject}`;
}

/** The dollar limits that one report is about, read at once, worked on, and written once each. */
export class LeasedAccounts {
  readonly #sql: SqlStorage;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(sql: SqlStorage, keys: Iterable<string>, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
    const parts = [...new Set(keys)].map((key) => ({ key, parts: key.split("\n") }));
    const meters = loadMetersById(
      sql,
      parts.map(({ parts: [, , id = ""] }) => id),
    );
    for (const {
      key,
      parts: [, start = "", id = "", subject = ""],
    } of parts) {
      const meter = meters.get(id);
      if (meter === undefined) continue;
      const entry = newEntry(meter, subject, Number(start));
      // A limit whose period has changed counts in another window now: what was held is held there.
      const stands = entry.window.startMs === Number(start);
      this.#entries.set(key, stands ? entry : newEntry(meter, subject, clock.org));
    }
    loadUsage(sql, [...this.#entries.values()]);
  }

  get(key: string): Account | null {
    return this.#entries.get(key) ?? null;
  }

  terms(key: string): Terms | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.meter.limit === null || accountKey(entry) !== key) return null;
    const { spent, over, held } = entry.usage;
    const endsIn = (entry.window.endMs ?? Number.POSITIVE_INFINITY) - this.#clock.org;
    if (endsIn <= 0) return null;
    return {
      limit: entry.meter.limit,
      used: spent + over + held,
      lifeMs: Math.min(LEASE.lifeMs, endsIn),
      lingerMs: LEASE.longestHoldMs,
    };
  }

  /** Moves what a report says; `dropped` is the part of what was held that no hold stands for. */
  apply(key: string, move: Move, dropped: bigint): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const held = move.used - dropped;
    if (accountKey(entry) !== key) {
      entry.usage = withHeld(entry.usage, held);
      return;
    }
    const { leased } = entry.usage;
    const fromLease = held < leased ? held : leased;
    let usage = leaseToHold(entry.usage, fromLease);
    if (held > fromLease) usage = withHeld(usage, held - fromLease);
    const returned = move.returned + dropped;
    usage = withoutLeased(usage, returned < usage.leased ? returned : usage.leased);
    entry.usage = move.added === 0n ? usage : withLeased(usage, move.added);
  }

  /** Takes back slices whose last possible hold is over. */
  free(orphans: readonly Orphan[]): void {
    for (const { meter: key, left } of orphans) {
      const entry = this.#entries.get(key);
      if (entry === undefined || accountKey(entry) !== key) continue;
      entry.usage = withoutLeased(entry.usage, left < entry.usage.leased ? left : entry.usage.leased);
    }
  }

  save(): void {
    saveUsage(this.#sql, this.#entries.values());
  }
}
