import type { LeaseLedger, Move } from "../../gate/lease/lease-ledger.ts";
import { LEASE, type Terms } from "../../gate/lease/protocol.ts";
import { isTooMuch } from "../../gate/lease/size.ts";
import {
  bucketOf,
  firstBucket,
  leaseKey,
  leaseKeyIds,
  type RateMeter,
  rateMetersFor,
  type RatePolicy,
  type RateStanding,
  type RateSubject,
  readPolicy,
  standingOf,
} from "../../domain/rate/policy.ts";
import {
  quotaWindow,
  type RoomAhead,
  roomAhead,
  slidingWindow,
  type BucketAmount,
} from "../../domain/rate/sliding-window.ts";
import type { CountedPart } from "../../domain/rate/counted-part.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import type { RateBook } from "../kernel/door.ts";
import { Table } from "../../storage/table.ts";
import { loadRateLimits } from "./store.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    rate_counts: true;
  }
}

const SHORTEST_SLICE_MS = 50;

/** Policies may count each user separately, so only the latest counters are in memory. */
const MOST_COUNTERS = 10_000;
/** The counts of each rate limit. */
export const RATE_COUNTS = new Table({
  name: "rate_counts",
  columns: ["meter", "taken"],
  key: ["meter"],
  named: ["meter"],
  changing: ["taken"],
  isCarried: true,
});
/** A counter that has counted nothing. */
const NONE = "[]";
const TAKEN = new TransactionalCache<BoundedMap<string, BucketAmount[]>>();
const LIMITS = new TransactionalCache<{
  readonly policies: readonly RatePolicy[];
  readonly read: RatePolicy;
}>();

/** The counts of the org's rate limits. They are kept in memory and written through, one row for each counter. */
export class RateMeters {
  readonly #sql: SqlStorage;
  readonly #fallbackReadRpm: number;

  constructor(sql: SqlStorage, fallbackReadRpm: number) {
    this.#sql = sql;
    this.#fallbackReadRpm = fallbackReadRpm;
  }

  forget(): void {
    TAKEN.forget(this.#sql);
    LIMITS.forget(this.#sql);
  }

  /** The limits as a rule sees them at one time. */
  bookAt(clock: Clock, leases: LeaseLedger): RateBook {
    return {
      policies: () => this.policies(),
      find: (key) => this.find(key, clock.org),
      standing: (meter, amount) => this.standing(meter, amount, leases, clock),
      take: (meter, amount) => {
        this.take(meter, amount, clock.org, clock.org);
        this.pressIfNear(meter, leases, clock.org);
      },
      giveBack: (meter, parts) => {
        for (const part of parts) this.giveBack(meter, part, clock.org);
      },
    };
  }

  /** The meters that a request touches: those of its policies and, for a read, the read limit. */
  touchedBy(subject: RateSubject, which: (policy: RatePolicy) => boolean = () => true): RateMeter[] {
    const { policies, read } = this.#limits();
    const meters = rateMetersFor(policies.filter(which), subject);
    return subject.route.startsWith("GET ") ? [{ policy: read, key: read.id }, ...meters] : meters;
  }

  policies(): readonly RatePolicy[] {
    return this.#limits().policies;
  }

  /** The state of a meter. Amounts that isolates have leased count as taken when their lease ends. */
  standing(meter: RateMeter, amount: number, book: LeaseLedger, clock: Clock): RateStanding {
    return standingOf(meter.policy, this.#counted(meter, book, clock), { amount, nowMs: clock.org });
  }

  /** Where calls may ask for more than one: how much room there will be when; null if each waits the same. */
  ahead(meter: RateMeter, book: LeaseLedger, clock: Clock): readonly RoomAhead[] | null {
    const { limit, kind, unit, window_seconds: seconds } = meter.policy;
    if (kind !== "rate" || unit === "requests") return null;
    const taken = this.#counted(meter, book, clock);
    return roomAhead(slidingWindow(seconds), taken, { limit, nowMs: clock.org });
  }

  #counted(meter: RateMeter, book: LeaseLedger, clock: Clock): BucketAmount[] {
    const taken = [...this.#load(meter, clock.org)];
    for (const slice of book.slicesOf(leaseKey(meter, clock.org), clock.real)) {
      taken.push([bucketOf(meter.policy, slice.until + clock.org - clock.real), Number(slice.left)]);
    }
    return taken.sort((left, right) => left[0] - right[0]);
  }

  /** Adds an amount at a time of the org's clock. */
  take(meter: RateMeter, amount: number, atMs: number, nowMs: number): void {
    if (amount === 0) return;
    const taken = this.#load(meter, nowMs);
    const bucket = bucketOf(meter.policy, atMs);
    const entry = taken.findIndex(([number]) => number === bucket);
    const count = amount + (entry < 0 ? 0 : (taken[entry]?.[1] ?? 0));
    if (entry < 0) taken.push([bucket, count]);
    else taken[entry] = [bucket, count];
    taken.sort((left, right) => left[0] - right[0]);
    this.#write(meter, taken);
  }

  /** After an amount was added: slices of a limit that comes near are no longer renewed unseen. */
  pressIfNear(meter: RateMeter, book: LeaseLedger, nowMs: number): void {
    const key = leaseKey(meter, nowMs);
    // Slices that no longer count are included: that costs a look at the terms, and no more.
    const leased = book.leased(key, Number.NEGATIVE_INFINITY);
    if (leased === 0n) return;
    const used = this.#load(meter, nowMs).reduce((sum, [, amount]) => sum + amount, 0);
    if (isTooMuch(leased, BigInt(meter.policy.limit - used))) book.press(key);
  }

  /** Takes back an amount that was added at a time, if that still counts. */
  giveBack(meter: RateMeter, { atMs, amount }: CountedPart, nowMs: number): void {
    const taken = this.#load(meter, nowMs);
    const bucket = bucketOf(meter.policy, atMs);
    const entry = taken.findIndex(([number]) => number === bucket);
    const count = taken[entry]?.[1] ?? 0;
    if (count <= 0) return;
    taken[entry] = [bucket, Math.max(0, count - amount)];
    this.#write(meter, taken);
  }

  #write({ key }: RateMeter, taken: readonly BucketAmount[]): void {
    RATE_COUNTS.put(this.#sql, [[key, JSON.stringify(taken)]]);
  }

  /** The terms for leasing a slice of a meter. Null if the meter no longer exists. */
  terms(key: string, book: LeaseLedger, clock: Clock): Terms | null {
    const found = this.find(key, clock.org);
    if (found === null) return null;
    const { policy } = found;
    const leased = book.leased(key, clock.real);
    const used = BigInt(this.standing(found, 0, book, clock).used) - leased;
    if (policy.kind === "quota") {
      const left = quotaWindow(policy.window_seconds, clock.org).endMs - clock.org;
      const lifeMs = Math.min(LEASE.lifeMs, left);
      const endsAt = clock.real + left;
      return { limit: BigInt(policy.limit), used, lifeMs, lingerMs: left - lifeMs, endsAt };
    }
    const { windowMs, bucketMs } = slidingWindow(policy.window_seconds);
    const lifeMs = Math.max(SHORTEST_SLICE_MS, Math.min(LEASE.lifeMs, windowMs / 20));
    return { limit: BigInt(policy.limit), used, lifeMs, lingerMs: windowMs + bucketMs };
  }

  /**
   * Counts what an isolate reports of its slice, at the latest time at which it can have been used. `counted` is the
   * part that runs have already counted.
   */
  report(
    key: string,
    { used, until, counted }: Move & { readonly counted: bigint },
    book: LeaseLedger,
    clock: Clock,
  ): void {
    const found = this.find(key, clock.org);
    if (found === null || used <= counted) return;
    this.take(found, Number(used - counted), until + clock.org - clock.real, clock.org);
    this.pressIfNear(found, book, clock.org);
  }

  #limits(): { policies: readonly RatePolicy[]; read: RatePolicy } {
    return LIMITS.get(this.#sql, () => {
      const { policies, read_rpm } = loadRateLimits(this.#sql);
      return { policies, read: readPolicy(read_rpm ?? this.#fallbackReadRpm) };
    });
  }

  /** The meter that a lease key names. Null if it no longer exists, or its window has ended. */
  find(key: string, nowMs: number): RateMeter | null {
    const { policies, read } = this.#limits();
    for (const policy of [read, ...policies]) {
      const [id, subject] = leaseKeyIds(key);
      if (id !== policy.id) continue;
      const meter = { policy, key: subject === "" ? policy.id : `${policy.id} ${subject}` };
      // A slice of a quota's past window no longer counts.
      return leaseKey(meter, nowMs) === key ? meter : null;
    }
    return null;
  }

  #load(meter: RateMeter, nowMs: number): BucketAmount[] {
    const first = firstBucket(meter.policy, nowMs);
    const all = TAKEN.get(this.#sql, () => new BoundedMap(MOST_COUNTERS));
    let taken = all.get(meter.key);
    if (taken === undefined) {
      taken = JSON.parse(this.#read(meter.key)) as BucketAmount[];
      all.set(meter.key, taken);
    }
    // Buckets that no longer count go when the counter is next written.
    if ((taken[0]?.[0] ?? first) < first) {
      taken = taken.filter(([bucket]) => bucket >= first);
      all.set(meter.key, taken);
    }
    return taken;
  }

  #read(key: string): string {
    const changed = RATE_COUNTS.get(this.#sql, key);
    if (changed !== undefined) return changed === null ? NONE : String(changed[1]);
    const rows = this.#sql.exec<{ taken: string }>("SELECT taken FROM rate_counts WHERE meter = ?", key);
    return rows.toArray()[0]?.taken ?? NONE;
  }
}

/** The object's clock, and the org's clock, which an operator may have moved ahead. */
export interface Clock {
  readonly real: number;
  readonly org: number;
}
