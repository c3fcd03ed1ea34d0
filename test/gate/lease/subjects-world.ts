import { LeaseLedger, type StoredHolder } from "../../../src/gate/lease/lease-ledger.ts";
import { type LeaseRequest, type Grant, LEASE, type Terms } from "../../../src/gate/lease/protocol.ts";
import { LeaseClient } from "../../../src/gate/lease/lease-client.ts";

/** A hold as an isolate reports it. */
interface Hold {
  readonly meter: string;
  readonly amount: bigint;
}

interface Isolate {
  readonly name: string;
  readonly leaseClient: LeaseClient<Hold>;
  /** By subject, what it allowed by itself. */
  readonly taken: Map<string, bigint>;
  loops: boolean;
  isLost: boolean;
}

export interface Luck {
  readonly ask: boolean;
  readonly answer: boolean;
}

interface Account {
  limit: bigint;
  /** Held by calls that the object decided. */
  own: bigint;
  /** Held by reports, by isolate. */
  readonly reported: Map<string, bigint>;
}

const NO_LUCK: Luck = { ask: false, answer: false };
const WAY_MS = 4;

/**
 * Isolates and one object in virtual time, with many subjects that have a limit each. The object stores what its own code
 * stores: slices that changed, and its counters only if it must. Both sides of every lease are counted: what isolates
 * took, and what the object holds for them.
 */
export class SubjectsWorld {
  now = 0;
  /** What becomes of the next asks. */
  luck: Luck[] = [];
  byIsolate = 0;
  byObject = 0;
  refused = 0;
  /** Transactions of the object that write. */
  stored = 0;
  asks = 0;
  /** The largest numbers of slices in an ask and in a reply. */
  mostNamed = 0;
  readonly isolates: Isolate[];
  readonly #accounts = new Map<string, Account>();
  readonly #limit: bigint;
  #book = new LeaseLedger();
  readonly #storage = new Map<string, StoredHolder>();
  #queue: { at: number; run: () => void }[] = [];
  #names = 0;

  constructor(isolates: number, limit: bigint) {
    this.#limit = limit;
    this.isolates = Array.from({ length: isolates }, () => this.#isolate());
  }

  call(index: number, subject: string, amount: bigint): boolean {
    const isolate = this.isolates[index];
    if (isolate === undefined) throw new Error("no such isolate");
    const { leaseClient } = isolate;
    const slices = [leaseClient.slice(subject)];
    if (leaseClient.take(slices, [Number(amount)], this.now)) {
      leaseClient.note({ meter: subject, amount });
      isolate.taken.set(subject, (isolate.taken.get(subject) ?? 0n) + amount);
      this.byIsolate += 1;
      this.#keep(isolate);
      if (leaseClient.urgent(slices, this.now)) this.#ask(isolate);
      this.#check(subject);
      return true;
    }
    const account = this.#account(subject);
    if (account.limit - this.#held(account) - this.#book.leased(subject, this.now) < amount) {
      this.refused += 1;
      return false;
    }
    account.own += amount;
    this.byObject += 1;
    this.stored += 1;
    leaseClient.missAll(slices, [Number(amount)]);
    this.#keep(isolate);
    this.#check(subject);
    return true;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      this.#queue.sort((one, other) => one.at - other.at);
      const next = this.#queue[0];
      if (next === undefined || next.at > end) break;
      this.#queue.shift();
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = end;
  }

  setLimit(subject: string, limit: bigint): void {
    this.#account(subject).limit = limit;
    this.#book.pressAll();
  }

  /** The object loses its memory, and reads what it stored. */
  evict(): void {
    this.#book = new LeaseLedger();
    for (const { slices, until = 0, ...counters } of this.#storage.values()) {
      this.#book.restore({
        ...counters,
        until,
        slices: slices.map(([meter, slice]) => [
          meter,
          { ...slice, until: Math.min(this.now + LEASE.lifeMs, Math.max(slice.until, until)) },
        ]),
      });
    }
  }

  /** An isolate is lost with what it had not reported, and another takes its place. */
  vanish(index: number): void {
    const lost = this.isolates[index];
    if (lost !== undefined) lost.isLost = true;
    this.isolates[index] = this.#isolate();
  }

  leased(subject: string): bigint {
    return this.#book.leased(subject, this.now);
  }

  get slices(): number {
    let count = 0;
    for (const { slices } of this.#book.holders()) count += slices.length;
    return count;
  }

  /** Where the object holds something else for a living isolate than what the isolate took. */
  differences(): string[] {
    const found: string[] = [];
    for (const [subject, { reported }] of this.#accounts) {
      for (const { name, taken } of this.isolates) {
        const [has, took] = [reported.get(name) ?? 0n, taken.get(subject) ?? 0n];
        if (has !== took) found.push(`${subject} of ${name}: held ${has}, taken ${took}`);
      }
    }
    return found;
  }

  #isolate(): Isolate {
    this.#names += 1;
    const name = `isolate-${this.#names}`;
    return { name, leaseClient: new LeaseClient<Hold>(name), taken: new Map(), loops: false, isLost: false };
  }

  #account(subject: string): Account {
    let account = this.#accounts.get(subject);
    if (account === undefined) {
      account = { limit: this.#limit, own: 0n, reported: new Map() };
      this.#accounts.set(subject, account);
    }
    return account;
  }

  #held({ own, reported }: Account): bigint {
    let sum = own;
    for (const held of reported.values()) sum += held;
    return sum;
  }

  /** All that callers were allowed, and what lost isolates may have allowed, is within the limit. */
  #check(subject: string): void {
    const account = this.#account(subject);
    let allowed = account.own;
    for (const [name, held] of account.reported) {
      if (!this.isolates.some((isolate) => isolate.name === name)) allowed += held;
    }
    for (const { taken } of this.isolates) allowed += taken.get(subject) ?? 0n;
    if (allowed > account.limit) throw new Error(`${subject}: ${allowed - account.limit} over the limit`);
  }

  #keep(isolate: Isolate): void {
    if (isolate.loops) return;
    isolate.loops = true;
    this.#after(LEASE.syncMs, () => this.#loop(isolate));
  }

  #loop(isolate: Isolate): void {
    if (isolate.isLost) return;
    if (isolate.leaseClient.idle) {
      isolate.leaseClient.rest();
      isolate.loops = false;
      return;
    }
    this.#after(LEASE.syncMs, () => this.#loop(isolate));
    if (!isolate.leaseClient.asking(this.now)) this.#ask(isolate);
  }

  #ask(isolate: Isolate): void {
    const ask = isolate.leaseClient.ask(this.now);
    this.asks += 1;
    this.mostNamed = Math.max(this.mostNamed, ask.wants.size);
    const luck = this.luck.shift() ?? NO_LUCK;
    if (!luck.ask) this.#after(WAY_MS, () => this.#serve(isolate, ask, luck));
    this.#after(2000, () => isolate.leaseClient.lost(ask.attempt));
  }

  #serve(isolate: Isolate, ask: LeaseRequest<Hold>, luck: Luck): void {
    const settled = this.#book.settle(ask, (meter) => this.#terms(meter), this.now);
    if (settled === null) return;
    for (const { meter, amount } of settled.holds) {
      const { reported } = this.#account(meter);
      reported.set(ask.holder, (reported.get(ask.holder) ?? 0n) + amount);
    }
    const hasChanged = settled.changed.size > 0 || settled.holds.length > 0;
    if (this.#book.mustStore(ask.holder, hasChanged, this.now)) this.#store(ask.holder, settled.changed);
    if (!luck.answer) this.#after(WAY_MS, () => this.#answer(isolate, settled.grant));
  }

  #answer(isolate: Isolate, grant: Grant): void {
    if (!isolate.isLost) isolate.leaseClient.granted(grant);
  }

  #store(holder: string, changed: ReadonlySet<string>): void {
    this.stored += 1;
    const slices = new Map(this.#storage.get(holder)?.slices ?? []);
    for (const meter of changed) {
      const slice = this.#book.slice(holder, meter);
      if (slice === undefined) slices.delete(meter);
      else slices.set(meter, { ...slice });
    }
    const { attempt, batch, askedAt, until } = this.#book.holder(holder);
    const stored = { holder, attempt, batch, askedAt, slices: [...slices] };
    this.#storage.set(holder, until === undefined ? stored : { ...stored, until });
  }

  #terms(meter: string): Terms {
    const account = this.#account(meter);
    const used = this.#held(account);
    return { limit: account.limit, used, lifeMs: LEASE.lifeMs, lingerMs: LEASE.longestHoldMs };
  }

  #after(ms: number, run: () => void): void {
    this.#queue.push({ at: this.now + ms, run });
  }
}
