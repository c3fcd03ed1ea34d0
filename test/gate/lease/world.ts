import { LeaseLedger, type Settlement } from "../../../src/gate/lease/lease-ledger.ts";
import { type LeaseRequest, type Grant, LEASE, type Terms } from "../../../src/gate/lease/protocol.ts";
import { LeaseClient, type ReportBounds } from "../../../src/gate/lease/lease-client.ts";

/** A hold as an isolate reports it: every meter takes the same amount. */
interface Hold {
  readonly id: number;
  readonly amount: bigint;
  readonly expiresAt: number;
}

interface Isolate {
  leaseClient: LeaseClient<Hold>;
  clockMs: number;
  /** The lower bound of how far the object's clock is ahead of this one. */
  aheadMs: number | null;
  loops: boolean;
}

interface Admitted {
  readonly amount: bigint;
  readonly expiresAt: number;
  closed: boolean;
}

const OBJECT_CLOCK_MS = 1_763_172_000_000;
const RPC_GIVES_UP_MS = 2000;
/** Batches of a few holds and reports of a few batches, so that busy isolates report in parts. */
export const IN_PARTS = { batchBytes: 700, reportBytes: 1600, weigh: () => 100 };

/**
 * Isolates and one object in virtual time, over a network that delays, loses and repeats messages. The world keeps its
 * own account of what callers were told and compares it with the limits in force at each admission.
 */
export class World {
  now = 0;
  loss: { ask: boolean; answer: boolean; twice: boolean }[] = [];
  refused = 0;
  byIsolate = 0;
  admitted: Admitted[] = [];
  readonly isolates: Isolate[];
  readonly #meters: string[];
  readonly #limits: Map<string, bigint>;
  /** The bound that callers can rely on: a lowered limit applies once the change has returned. */
  readonly #promised: Map<string, bigint>;
  #book = new LeaseLedger();
  #held = new Map<number, Hold>();
  #heldSum = 0n;
  #firstEnd = Number.POSITIVE_INFINITY;
  #firstTruth = Number.POSITIVE_INFINITY;
  #early = new Set<number>();
  /** Holds that the object has heard of from the isolate that made them. */
  readonly #reported = new Set<number>();
  #spent = 0n;
  #truth = 0n;
  #queue: { at: number; order: number; run: () => void }[] = [];
  #order = 0;
  #names = 0;
  readonly #bounds: ReportBounds<unknown> | undefined;

  constructor(clocks: number[], limits: bigint[], bounds?: ReportBounds<unknown>) {
    this.#bounds = bounds;
    this.#meters = limits.map((_, index) => `meter-${index}`);
    this.#limits = new Map(limits.map((limit, index) => [`meter-${index}`, limit]));
    this.#promised = new Map(this.#limits);
    this.isolates = clocks.map((clockMs) => this.#isolate(clockMs));
  }

  get leased(): bigint {
    return this.#book.leased("meter-0", this.#objectNow());
  }

  /** Room that the object would give to the next caller. */
  get room(): bigint {
    return this.#roomOf("meter-0");
  }

  /** What callers are entitled to: the limit minus what was spent and is held for them. */
  get trueRoom(): bigint {
    this.#expire();
    return (this.#limits.get("meter-0") ?? 0n) - this.#truth;
  }

  call(index: number, amount: bigint, holdMs: number): boolean {
    const isolate = this.#at(index);
    const now = this.now + isolate.clockMs;
    const slices = this.#meters.map((meter) => isolate.leaseClient.slice(meter));
    const id = this.admitted.length;
    const expiresAt = now + (isolate.aheadMs ?? 0) + holdMs;
    const amounts = Array.from(slices, () => Number(amount));
    const made = isolate.leaseClient.take(slices, amounts, now);
    if (made) isolate.leaseClient.note({ id, amount, expiresAt });
    else for (const slice of slices) isolate.leaseClient.miss(slice, Number(amount));
    if (isolate.leaseClient.urgent(slices, now) || isolate.leaseClient.wanting(slices, now))
      this.#ask(isolate);
    this.#startLoop(isolate);
    if (made) {
      this.byIsolate += 1;
      this.#admit(amount, expiresAt);
      return true;
    }
    return this.#decide(id, amount, holdMs);
  }

  /** A run settles a hold for its real cost, whether or not the object knows of the hold yet. */
  settle(index: number, cost: bigint): void {
    const hold = this.admitted[index];
    if (hold === undefined || hold.closed || hold.expiresAt <= this.#objectNow()) return;
    hold.closed = true;
    const actual = cost < hold.amount ? cost : hold.amount;
    this.#truth += actual - hold.amount;
    this.#spent += actual;
    if (!this.#drop(index)) this.#early.add(index);
  }

  /** Changes a limit. A lowered one applies to callers once every earlier slice has ended. */
  setLimit(index: number, limit: bigint): void {
    const meter = `meter-${index % this.#meters.length}`;
    this.#limits.set(meter, limit);
    const promised = this.#promised.get(meter) ?? 0n;
    if (limit >= promised) this.#promised.set(meter, limit);
    else {
      this.#after(this.#book.waitOutMs(this.#objectNow()), () => {
        if (this.#limits.get(meter) === limit) this.#promised.set(meter, limit);
      });
    }
  }

  /** The object loses its memory and reads back what it stored. */
  evict(): void {
    const stored = structuredClone([...this.#book.holders()]);
    this.#book = new LeaseLedger();
    for (const holder of stored) this.#book.restore(holder);
  }

  /** An isolate is lost with everything that it had not reported, and another takes its place. */
  vanish(index: number): void {
    this.isolates[index % this.isolates.length] = this.#isolate(this.#at(index).clockMs);
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      this.#queue.sort((left, right) => left.at - right.at || left.order - right.order);
      const next = this.#queue[0];
      if (next === undefined || next.at > end) break;
      this.#queue.shift();
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = end;
  }

  #isolate(clockMs: number): Isolate {
    this.#names += 1;
    const leaseClient = new LeaseClient<Hold>(`isolate-${this.#names}`, this.#bounds);
    return { leaseClient, clockMs, aheadMs: null, loops: false };
  }

  #at(index: number): Isolate {
    const isolate = this.isolates[index % this.isolates.length];
    if (isolate === undefined) throw new Error("a world has isolates");
    return isolate;
  }

  #objectNow(): number {
    return this.now + OBJECT_CLOCK_MS;
  }

  #after(ms: number, run: () => void): void {
    this.#order += 1;
    this.#queue.push({ at: this.now + ms, order: this.#order, run });
  }

  #startLoop(isolate: Isolate): void {
    if (isolate.loops) return;
    isolate.loops = true;
    this.#after(LEASE.syncMs, () => this.#sync(isolate));
  }

  #sync(isolate: Isolate): void {
    if (!this.isolates.includes(isolate)) return;
    if (isolate.leaseClient.idle) {
      isolate.leaseClient.rest();
      isolate.loops = false;
      return;
    }
    this.#after(LEASE.syncMs, () => this.#sync(isolate));
    if (!isolate.leaseClient.asking(this.now + isolate.clockMs)) this.#ask(isolate);
  }

  #ask(isolate: Isolate): void {
    const askedAt = this.now + isolate.clockMs;
    const ask = isolate.leaseClient.ask(askedAt);
    const luck = this.loss.shift() ?? { ask: false, answer: false, twice: false };
    if (!luck.ask) this.#after(3, () => this.#serve(isolate, ask, luck.answer));
    if (luck.twice) this.#after(LEASE.syncMs * 3, () => this.#serve(isolate, ask, false));
    this.#after(RPC_GIVES_UP_MS, () => isolate.leaseClient.lost(ask.attempt));
  }

  #serve(isolate: Isolate, ask: LeaseRequest<Hold>, lost: boolean): void {
    const now = this.#objectNow();
    this.#book.sweep(now);
    const settled = this.#book.settle(ask, (meter) => this.#terms(meter), now);
    if (settled === null) return;
    this.#expectOnce(settled);
    for (const hold of settled.holds) {
      if (this.#early.delete(hold.id) || hold.expiresAt <= now) continue;
      this.#keep(hold);
    }
    if (!lost) this.#after(2, () => this.#answer(isolate, settled.grant, now));
  }

  /** Both sides of the account: each hold is taken over once, and its slices give exactly what the holds are worth. */
  #expectOnce({ holds, moves }: Settlement<Hold>): void {
    let sum = 0n;
    for (const { id, amount } of holds) {
      if (this.#reported.has(id)) throw new Error(`hold ${id} was taken over twice`);
      this.#reported.add(id);
      sum += amount;
    }
    for (const meter of this.#meters) {
      const used = moves.get(meter)?.used ?? 0n;
      if (used !== sum) throw new Error(`${meter}: ${used} was taken from slices for holds of ${sum}`);
    }
  }

  #answer(isolate: Isolate, grant: Grant, objectNow: number): void {
    isolate.leaseClient.granted(grant);
    isolate.aheadMs = objectNow - (this.now + isolate.clockMs);
  }

  #terms(meter: string): Terms {
    const limit = this.#limits.get(meter) ?? 0n;
    return { limit, used: this.#used(), lifeMs: LEASE.lifeMs, lingerMs: LEASE.longestHoldMs };
  }

  #used(): bigint {
    const now = this.#objectNow();
    if (now >= this.#firstEnd) {
      this.#firstEnd = Number.POSITIVE_INFINITY;
      for (const [id, hold] of this.#held) {
        if (hold.expiresAt <= now) this.#drop(id);
        else this.#firstEnd = Math.min(this.#firstEnd, hold.expiresAt);
      }
    }
    return this.#spent + this.#heldSum;
  }

  #keep(hold: Hold): void {
    this.#held.set(hold.id, hold);
    this.#heldSum += hold.amount;
    this.#firstEnd = Math.min(this.#firstEnd, hold.expiresAt);
  }

  #drop(id: number): boolean {
    this.#heldSum -= this.#held.get(id)?.amount ?? 0n;
    return this.#held.delete(id);
  }

  #roomOf(meter: string): bigint {
    return (this.#limits.get(meter) ?? 0n) - this.#used() - this.#book.leased(meter, this.#objectNow());
  }

  #decide(id: number, amount: bigint, holdMs: number): boolean {
    this.#book.sweep(this.#objectNow());
    if (this.#meters.some((meter) => this.#roomOf(meter) < amount)) {
      this.refused += 1;
      return false;
    }
    const expiresAt = this.#objectNow() + holdMs;
    this.#keep({ id, amount, expiresAt });
    this.#admit(amount, expiresAt);
    return true;
  }

  #admit(amount: bigint, expiresAt: number): void {
    this.#expire();
    this.#truth += amount;
    this.#firstTruth = Math.min(this.#firstTruth, expiresAt);
    this.admitted.push({ amount, expiresAt, closed: false });
    for (const [meter, bound] of this.#promised) {
      if (this.#truth > bound) throw new Error(`${meter}: ${this.#truth - bound} over the limit`);
    }
  }

  #expire(): void {
    const now = this.#objectNow();
    if (now < this.#firstTruth) return;
    this.#firstTruth = Number.POSITIVE_INFINITY;
    for (const hold of this.admitted) {
      if (hold.closed) continue;
      if (hold.expiresAt > now) {
        this.#firstTruth = Math.min(this.#firstTruth, hold.expiresAt);
        continue;
      }
      hold.closed = true;
      this.#truth -= hold.amount;
    }
  }
}
