import { OrgClock } from "./lease/org-clock.ts";
import { LEASE } from "./lease/protocol.ts";
import { GIVE_UP_MS, LeaseClient, type Slice } from "./lease/lease-client.ts";
import type { Account } from "../domain/meter/meter.ts";
import type { KnownChecks } from "./snapshot/decision-plan.ts";
import { Ceilings } from "./snapshot/ceilings.ts";
import type { CallNames } from "../domain/meter/traits.ts";
import type { ReservationNames } from "../domain/reservation/reservation-id.ts";
import type { GateCaller } from "./snapshot/caller.ts";
import type { LimitSetLine } from "./report/limit-set-line.ts";
import { BOUNDS, byLimitSet, type HoldDraft } from "./report/hold-draft.ts";
import { type RateInfo, readReply, writeAsk } from "./lease/wire.ts";
import type { Background } from "./lease/background.ts";
import { RecentReservations } from "./decision/recent-reservations.ts";
import type { AllowCache } from "./decision/allow-cache.ts";
import { RefusalOutbox } from "./report/refusal-outbox.ts";
import type { RefusalNote } from "../domain/refusal/note.ts";
import { type KnownLimits, KnownAccount, type LimitSet } from "./decision/limit-set.ts";
import { type LimitSetTotal, LimitSets } from "./decision/limit-sets.ts";
import { type HostTotals, newTotals } from "./snapshot/host-totals.ts";

/** The state of a limit when the object last reported it, in this isolate's time. */
export interface ObjectAnswer<T> {
  readonly info: T;
  /** When the object was asked. Its answer may be acted on for a second from then. */
  readonly askedAt: number;
  /** When it answered. Waits are counted from here, so that no stated wait is too short. */
  readonly at: number;
}

/** An ask in transit to the object. */
export interface SentAsk {
  readonly attempt: number;
  readonly askedAt: number;
  readonly mark: string;
  readonly text: string;
}

/** One request's background work maintains the leases of an org for this long. Then the next one takes over. */
const RELAY_MS = 5000;
const MOST_KNOWN = 2000;
/** This many calls decided by the object between two checks are worth a decision plan. */
const CALLS_WORTH_A_PLAN = 3;

/** One org, as far as this isolate can decide for it: slices of its limits, and what is known of full limits. */
export class OrgGate {
  readonly leaseClient: LeaseClient<HoldDraft>;
  /** The recent allows of the host's gates, for all orgs together. */
  readonly allows: AllowCache<OrgGate>;
  readonly reservations: RecentReservations;
  readonly #refusals: RefusalOutbox;
  readonly sets: LimitSets;
  /** Of calls that are checked against everything. */
  readonly wholeSets: LimitSets;
  readonly #limitSetTotal: LimitSetTotal;
  #rotatedAt = Number.NEGATIVE_INFINITY;
  /** Rules and detectors, of the same version as the decision plans; null: not known. */
  checks: KnownChecks | null = null;
  readonly ceilings = new Ceilings();
  matters: KnownLimits | null = null;
  /** Calls that the object decided since the last check. */
  asked = 0;
  /** How often the object has said something that may admit a refused call. */
  news = 0;
  readonly #rates = new Map<string, ObjectAnswer<RateInfo>>();
  readonly #accounts = new Map<string, KnownAccount>();
  #version = "";
  #plannedAt = Number.NEGATIVE_INFINITY;
  #freedAt = Number.NEGATIVE_INFINITY;
  readonly #clock = new OrgClock();
  /** When an ask last ended, whoever sent it. */
  #askEndedAt = Number.NEGATIVE_INFINITY;
  #loop = 0;
  #loopSince: number | null = null;
  #ids: ReservationNames | null = null;

  /** `holder` names this gate to the object. No other gate of the org may ever have the same name. */
  constructor(holder: string, allows: AllowCache<OrgGate>, totals: Partial<HostTotals> = {}) {
    const { reservations, waiting, limitSets } = { ...newTotals(), ...totals };
    this.leaseClient = new LeaseClient(holder, BOUNDS);
    this.allows = allows;
    this.reservations = new RecentReservations(reservations);
    this.#refusals = new RefusalOutbox(waiting);
    this.#limitSetTotal = limitSets;
    const release = ({ slices }: LimitSet) => this.leaseClient.release(slices);
    this.sets = new LimitSets(limitSets, release);
    this.wholeSets = new LimitSets(limitSets, release);
  }

  /** Returns whether this gate has nothing to tell the object. */
  get idle(): boolean {
    return this.leaseClient.idle && this.#refusals.isEmpty;
  }

  /** A refusal by this isolate, which the object is told of with a report. */
  noteRefusal(note: RefusalNote, now: number, background: Background): void {
    this.#refusals.note(note, now);
    if (this.#refusals.isPressing && !this.leaseClient.asking(now)) {
      background.waitUntil(this.#sync(background, []));
    }
    this.keep(now, [], background);
  }

  /** The names of the org's reservations. */
  idsFor({ names }: GateCaller): ReservationNames {
    this.#ids ??= names();
    return this.#ids;
  }

  /** The org's time, at most slightly behind the object's own. Null until the object has answered once. */
  orgNow(now: number): number | null {
    return this.#clock.at(now);
  }

  /** Learns from an answer to what was asked then. */
  setTime(orgNow: number, askedAt: number, now: number): void {
    this.news += 1;
    this.#clock.set(orgNow, askedAt, now);
  }

  /** Returns whether the limit sets of the last decision plans can still be used. */
  knows(now: number): boolean {
    return isFresh(this.#plannedAt, now);
  }

  /** A gate that has slices asks again and again, so one more subject costs it no call. */
  get wantsPlan(): boolean {
    return this.asked >= CALLS_WORTH_A_PLAN || this.leaseClient.isActive;
  }

  /**
   * Decision plans are of one version of the limits; another version makes them worthless. False: an answer that was long on its
   * way, of limits that may have changed since.
   */
  accepts(version: string, askedAt: number): boolean {
    if (version !== this.#version && askedAt < this.#plannedAt) return false;
    if (version !== this.#version) {
      this.#version = version;
      this.#forgetLimitSets();
      this.checks = null;
      this.#accounts.clear();
    }
    this.#plannedAt = Math.max(this.#plannedAt, askedAt);
    return true;
  }

  /** From now on calls like this one are decided by it. */
  install(which: LimitSets, { matters, keyId, names, limitSet }: NewLimitSet): void {
    this.leaseClient.retain(limitSet.slices);
    which.set(matters, keyId, names, limitSet);
  }

  /** The slices stay: calls may touch the same limits by what is learned next. */
  #forgetLimitSets(): void {
    this.sets.clear();
    this.wholeSets.clear();
    this.ceilings.clear();
    this.leaseClient.releaseAll();
    this.leaseClient.prune();
  }

  /** Forgets what no call has touched lately. */
  #rotate(now: number): void {
    if (now < this.#rotatedAt + LEASE.idleMs / 2) return;
    this.#rotatedAt = now;
    this.sets.rotate();
    this.wholeSets.rotate();
    for (const key of this.leaseClient.prune()) this.#accounts.delete(key);
  }

  /** Everything that counts towards the host's totals. */
  forget(): void {
    this.reservations.forget();
    this.#forgetLimitSets();
  }

  /** Returns the state of a rate limit, if it is recent enough to refuse by. Ended reservations leave room in dollars. */
  rate(key: string, now: number, isUsd = false): ObjectAnswer<RateInfo> | null {
    const answer = this.#rates.get(key);
    if (answer === undefined) return null;
    return (isUsd ? this.isCurrent(answer, now) : isFresh(answer.askedAt, now)) ? answer : null;
  }

  /** A dollar limit, shared by all calls that touch it, so what is learned of it applies to all of them. */
  account(key: string, account: Account, askedAt: number): KnownAccount {
    let known = this.#accounts.get(key);
    if (known === undefined) {
      known = new KnownAccount(account, askedAt);
      this.#accounts.set(key, known);
    } else known.mergeAll(account, askedAt);
    return known;
  }

  /**
   * A reservation was ended through this host, and its caller knows by now. The next call through it must find the room
   * that it left, so answers from before no longer refuse.
   */
  freed(now: number): void {
    this.#freedAt = now;
  }

  /** Returns whether the known state of a limit in dollars may be used to refuse. */
  isCurrent({ askedAt }: { readonly askedAt: number }, now: number): boolean {
    return isFresh(askedAt, now) && askedAt > this.#freedAt;
  }

  setRates(rates: readonly RateInfo[], askedAt: number, now: number): void {
    for (const info of rates) this.#rates.set(info.key, { info, askedAt, at: now });
    if (this.#rates.size > MOST_KNOWN) this.#rates.clear();
  }

  /** Maintains the leases: reports, refills and returns, in the background of passing requests. */
  keep(now: number, slices: readonly Slice[], background: Background): void {
    if (this.leaseClient.urgent(slices, now)) background.waitUntil(this.#sync(background, []));
    if (this.#loopSince !== null && now < this.#loopSince + RELAY_MS) return;
    this.#loopSince = now;
    background.waitUntil(this.#run(background));
  }

  /** Refreshes, in the background, the limits that refuse calls: at most twice while their state is valid. */
  recheck(keys: readonly string[], oldest: number, now: number, background: Background): void {
    if (now < oldest + LEASE.standingMs / 2 || this.leaseClient.asking(now)) return;
    background.waitUntil(this.#sync(background, keys));
  }

  /** Reports, and gives back every slice. */
  async close(background: Background): Promise<void> {
    this.leaseClient.end();
    await this.flush(background);
  }

  /** Reports what this isolate has held, so that the object knows it before the next call. */
  async flush(background: Background): Promise<void> {
    if (!this.idle) await this.#sync(background, []);
  }

  async #run(background: Background): Promise<void> {
    this.#loop += 1;
    const mine = this.#loop;
    for (;;) {
      await background.wait(LEASE.syncMs - (this.#restedMs(background.now()) ?? 0));
      if (mine !== this.#loop) return;
      this.asked = 0;
      if (this.idle) break;
      const now = background.now();
      this.#rotate(now);
      if (this.leaseClient.idle && !this.#refusals.isDue(now)) continue;
      // A call, or a run that was settled, may have asked meanwhile.
      if (!this.leaseClient.asking(now) && this.#restedMs(now) === null) await this.#sync(background, []);
    }
    this.leaseClient.rest();
    this.reservations.forget();
    if (this.#limitSetTotal.isHigh) this.#forgetLimitSets();
    this.#loopSince = null;
  }

  /**
   * An ask that a call carries to the object, once calls like it are steady. Null if there is no need. A call that
   * someone waits for gets through when background work may have to wait.
   */
  carry(slices: readonly Slice[], now: number): SentAsk | null {
    return this.leaseClient.wanting(slices, now) ? this.#ask([], now) : null;
  }

  /** The object's answer to an ask. Null if there was none, and what was reported is sent again with the next. */
  answered(asked: SentAsk, reply: string | null, now: number): void {
    if (reply !== null) this.#takeReply(reply, asked, now);
    this.leaseClient.lost(asked.attempt);
    this.#askEndedAt = now;
  }

  /** How long ago an ask ended. Null: so long ago that the next is due. A clock that is set back delays nothing. */
  #restedMs(now: number): number | null {
    const restedMs = now - this.#askEndedAt;
    return restedMs >= 0 && restedMs < LEASE.syncMs ? restedMs : null;
  }

  async #sync(background: Background, watch: readonly string[]): Promise<void> {
    const asked = this.#ask(watch, background.now());
    let reply: string | null = null;
    try {
      reply = await Promise.race([
        background.object().syncLeases(asked.text),
        background.wait(GIVE_UP_MS).then(() => null),
      ]);
    } catch {
      // The object did not answer.
    }
    this.answered(asked, reply, background.now());
  }

  #ask(watch: readonly string[], askedAt: number): SentAsk {
    const { batches, ...ask } = this.leaseClient.ask(askedAt);
    const limitSets = new Map<LimitSetLine, number>();
    const rows = batches.map(({ number, holds, used }) => ({
      number,
      used,
      holds: byLimitSet(holds, limitSets),
    }));
    const text = writeAsk({
      ask: { ...ask, batches: rows },
      touches: [...limitSets.keys()],
      watch,
      lagMs: this.#clock.sent(),
      heard: this.reservations.mark,
      refusals: this.#refusals.batch(),
    });
    return { attempt: ask.attempt, askedAt, mark: this.reservations.mark, text };
  }

  #takeReply(text: string, { askedAt, mark }: SentAsk, now: number): void {
    const { grant, rates, usage, orgNow, version, requests, refusals } = readReply(text);
    this.#refusals.acknowledged(refusals);
    this.reservations.merge(mark, requests);
    if (this.leaseClient.granted(grant)) this.#clock.acknowledged();
    this.setTime(orgNow, askedAt, now);
    this.accepts(version, askedAt);
    this.setRates(rates, askedAt, now);
    for (const [key, found] of usage) {
      this.#accounts.get(key)?.set(found, askedAt);
    }
  }
}

/** The limit set of calls of one kind, and how such a call is recognized. */
interface NewLimitSet {
  readonly matters: KnownLimits;
  readonly keyId: string;
  readonly names: CallNames;
  readonly limitSet: LimitSet;
}

/** Returns whether an answer of the object that was asked at this time can still be used. */
function isFresh(askedAt: number, now: number): boolean {
  return now < askedAt + LEASE.standingMs - LEASE.guardMs;
}
