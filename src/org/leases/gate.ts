import { DECISION_ROUTE } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { LeaseLedger } from "../../gate/lease/lease-ledger.ts";
import { LEASE } from "../../gate/lease/protocol.ts";
import {
  isRateKey,
  leaseKey,
  needsNoBody,
  rateAmount,
  type RateMeter,
  type RatePolicy,
  type RateSubject,
} from "../../domain/rate/policy.ts";
import { type RateRequest, rateRefusal } from "../../domain/rate/denial.ts";
import { checkpointFirst, transaction, walTransaction } from "../../storage/transaction.ts";
import type { CountedRequest, Done, RateBook, View } from "../kernel/door.ts";
import { type DecisionAsk, leastOf, tokensOf } from "../../gate/decision/ask.ts";
import type { DecisionPlan } from "../../gate/snapshot/decision-plan.ts";
import type { DecisionVerdict, RequestVerdict } from "../../gate/decision/object-verdict.ts";
import { type DecidedAsk, decideOnce, type RateTerms } from "../decisions/decide.ts";
import { writeHoldRates, type HoldRates } from "../decisions/hold-rates.ts";
import { estimateOf } from "../decisions/estimate.ts";
import { keepRefusals } from "../refusals/commands.ts";
import { takeNearLimits } from "../meters/usage.ts";
import { Ending } from "../kernel/perform/ending.ts";
import { openTx, performPart } from "../kernel/perform/perform.ts";
import { type Clock, RateMeters } from "../rate-limits/meters.ts";
import { leaseLedgerOf, saveHolder } from "./ledger-store.ts";
import { decisionPlanFor, MOST_SUBJECT_CHARACTERS, withRates } from "./decision-plan.ts";
import { LeasedAccounts } from "./money.ts";
import { keepHolds } from "./report.ts";
import { ReservedRequests } from "./reserved-requests.ts";
import { sweepLeases, sweepWhenOrphaned } from "./sweep.ts";
import { NO_REQUESTS } from "../../gate/decision/recent-reservations.ts";
import { idOf } from "../../gate/report/hold-line.ts";
import { readBatch } from "../../domain/refusal/batch.ts";
import type { ReportedHolds } from "../../gate/report/limit-set-line.ts";
import { type RateInfo, readAsk, type Report, type SyncReply, writeReply } from "../../gate/lease/wire.ts";

/** A valid report, its answer without the other isolates' requests, and what it brought. */
interface TakenReport {
  readonly reply: Omit<SyncReply, "requests">;
  readonly holds: readonly ReportedHolds[];
}

interface LeasedDecision extends Omit<DecidedAsk, "result"> {
  readonly result: Done | Refusal;
}

function turnedAway(refusal: Refusal, ask: DecisionAsk): LeasedDecision {
  return { result: refusal, taken: false, named: null, ask };
}

/** The amount that a rate limit counts of a decision. One that has no price is refused for that, and counts nothing. */
function countOf({ policy }: RateMeter, ask: DecisionAsk, view: View): number {
  const nanos = policy.unit === "usd" ? estimateOf(view, ask) : 0n;
  return rateAmount(policy, { nanos: isRefusal(nanos) ? 0 : Number(nanos), tokens: tokensOf(ask) });
}

/** How much fits into every rate limit that counts by a unit. Null if none does. */
function roomIn(standings: readonly RateRequest[], unit: RatePolicy["unit"]): number | null {
  const counting = standings.filter(({ meter }) => meter.policy.unit === unit);
  return counting.length === 0 ? null : Math.min(...counting.map(({ standing }) => standing.room));
}

/** Returns the amounts that rate limits count of a decision from its body, if it is allowed. */
function countedOf(ask: DecisionAsk, meters: readonly RateMeter[]): HoldRates {
  const byBody = meters.filter(({ policy }) => !needsNoBody(policy));
  return { rates: writeHoldRates(byBody), tokens: tokensOf(ask) };
}

/** A call that cannot be answered still counts as a request. Other refusals leave every limit unchanged. */
function isMalformed(result: Done | Refusal): boolean {
  return isRefusal(result) && result.code === "validation_failed";
}

/**
 * The object's side of the gate: it decides what isolates send to it, and leases them slices of the limits so that they
 * can decide by themselves. Memory holds a copy of what is stored, and any failure drops the copy.
 */
export class ObjectGate {
  readonly #storage: DurableObjectStorage;
  readonly #rates: RateMeters;
  /** When an isolate was last told the state of a limit. It may act on that for a while. */
  #stateSentAt = 0;
  #changes = 0;
  /** When the limits last changed, as far as this life of the object knows. */
  changedAt = 0;
  #wokeAt = 0;
  /** Isolates get no more slices: the org is about to move. */
  isClosed = false;
  #requests: ReservedRequests | null = null;

  constructor(storage: DurableObjectStorage, fallbackReadRpm: number, wokeAt: number) {
    this.#storage = storage;
    this.#rates = new RateMeters(storage.sql, fallbackReadRpm);
    this.begin(wokeAt);
  }

  /**
   * The org is here from now on. Isolates may know it from before, or from another region: what they were told there is
   * never taken for something of this life.
   */
  begin(now: number): void {
    this.#wokeAt = now;
    this.#stateSentAt = now;
    this.changedAt = now;
    this.#requests = null;
  }

  /** Takes one request from each rate limit that it touches, or from none. */
  admitRequest(subject: RateSubject, clock: Clock): RequestVerdict {
    // The query of a read begins with a checkpoint, so its count is not written to the log first.
    const begin = subject.route.startsWith("GET ") ? transaction : walTransaction;
    return this.#transaction(() => {
      const meters = this.#rates.touchedBy(subject, needsNoBody);
      const standings = this.#standings(meters, () => 1, clock);
      const refusal = rateRefusal(standings, clock.org);
      if (refusal === null) for (const meter of meters) this.#rates.take(meter, 1, clock.org, clock.org);
      else this.#stateSentAt = clock.real;
      return {
        refusal,
        rates: meters.map((meter) => this.#info(meter, clock)),
        orgNow: clock.org,
      };
    }, begin);
  }

  /** A request that was counted and then refused uses nothing. */
  giveBack({ route, at }: CountedRequest, keyId: string, clock: Clock): void {
    this.#transaction(() => {
      const meters = this.#rates.touchedBy({ route, keyId }, needsNoBody);
      for (const meter of meters) this.#rates.giveBack(meter, { atMs: at, amount: 1 }, clock.org);
    });
  }

  /** The rate limits for a command that counts from its body. */
  ratesAt(clock: Clock): RateBook {
    return this.#rates.bookAt(clock, this.#leases());
  }

  /** Decisions that are stored as one. Each that fails is undone alone. */
  together<T>(run: () => T): T {
    return this.#transaction(run);
  }

  /** The exact decision: takes from all rate limits and dollar limits, or from none. */
  decide(
    ask: DecisionAsk,
    {
      keyId,
      wantsPlan,
      view,
      clock,
    }: { readonly keyId: string; readonly wantsPlan: boolean; readonly view: View; readonly clock: Clock },
  ): DecisionVerdict {
    let named: string | null = null;
    const verdict = this.#transaction((): DecisionVerdict => {
      sweepLeases(view, clock);
      const meters = this.decisionMeters(ask, keyId);
      const standings = this.#standings(meters, (meter) => countOf(meter, leastOf(ask), view), clock);
      const limit = rateRefusal(standings, clock.org);
      const isLimited = limit !== null && ask.dry_run !== true;
      const rates = {
        countedOf: (given: DecisionAsk) => countedOf(given, meters),
        tokenRoom: roomIn(standings, "tokens"),
        nanosRoom: roomIn(standings, "usd"),
      };
      const decided = isLimited ? turnedAway(limit, ask) : this.#exact(ask, rates, view);
      const { result } = decided;
      named = decided.named;
      const takenOf = (meter: RateMeter): number => {
        if (decided.taken) return countOf(meter, decided.ask, view);
        return isMalformed(result) && ask.dry_run !== true && meter.policy.unit === "requests" ? 1 : 0;
      };
      const met = standings.map((found) => ({ ...found, taken: takenOf(found.meter) }));
      for (const { meter, taken } of met) {
        this.#rates.take(meter, taken, clock.org, clock.org);
        this.#rates.pressIfNear(meter, this.#leases(), clock.org);
      }
      const refusal = isRefusal(result) ? result : null;
      if (wantsPlan || refusal !== null) this.#stateSentAt = clock.real;
      return {
        refusal,
        text: isRefusal(result) ? null : withRates(result.body ?? {}, met, limit),
        rates: meters.map((meter) => this.#info(meter, clock)),
        decisionPlan: wantsPlan || refusal !== null ? this.#decisionPlan(ask, view) : null,
        orgNow: clock.org,
        version: this.version,
      };
    });
    if (named !== null) this.#requests?.note(named);
    return verdict;
  }

  /** Takes an isolate's report and leases it what it may have. Null for a report that came late or twice. */
  sync(text: string, view: View, clock: Clock): string | null {
    return this.syncReport(readAsk(text), view, clock);
  }

  syncReport(report: Report, view: View, clock: Clock): string | null {
    const taken = this.#transaction(() => this.#takeReport(report, view, clock));
    if (taken === null) return null;
    const requests = this.#requestsWith(taken.holds);
    return writeReply({
      ...taken.reply,
      requests: report.heard === null ? NO_REQUESTS : requests.since(report.heard),
    });
  }

  #takeReport(report: Report, view: View, clock: Clock): TakenReport | null {
    const { ask, touches, watch, lagMs, refusals } = report;
    sweepLeases(view, clock);
    const book = this.#leases();
    for (const key of takeNearLimits(this.#storage.sql)) book.press(key);
    const keys = [...book.metersOf(ask, clock.real), ...watch].filter((key) => !isRateKey(key));
    const accounts = new LeasedAccounts(this.#storage.sql, keys, clock);
    const settled = book.settle(
      ask,
      (key) => {
        if (this.isClosed) return null;
        return isRateKey(key) ? this.#rates.terms(key, book, clock) : accounts.terms(key);
      },
      clock.real,
    );
    if (settled === null) return null;
    if (settled.moves.size > 0 || settled.holds.length > 0) {
      performPart(this.#storage, view, (tx) => {
        const countedAt = (key: string) =>
          (settled.moves.get(key)?.until ?? clock.real) + clock.org - clock.real;
        const dropped = keepHolds(tx, { holds: settled.holds, touches, lagMs, countedAt }, accounts);
        for (const [key, move] of settled.moves) {
          const none = dropped.get(key) ?? 0n;
          if (isRateKey(key)) this.#rates.report(key, { ...move, counted: none }, book, clock);
          else accounts.apply(key, move, none);
        }
        accounts.save();
        if (settled.changed.size > 0) sweepWhenOrphaned(tx, ask.holder, clock);
      });
    }
    const isRefused = refusals !== null && book.takesRefusals(ask.holder, refusals.number);
    if (isRefused) keepRefusals(view, readBatch(refusals.batch));
    const hasChanged = isRefused || settled.changed.size > 0 || settled.holds.length > 0;
    if (book.mustStore(ask.holder, hasChanged, clock.real)) {
      saveHolder(this.#storage.sql, ask.holder, settled.changed);
    }
    this.#stateSentAt = clock.real;
    const known = [...ask.wants.keys(), ...watch];
    const reply = {
      grant: settled.grant,
      rates: this.look(known, clock),
      usage: known.flatMap((key) => {
        const account = accounts.get(key);
        return account === null ? [] : [[key, account.usage] as const];
      }),
      orgNow: clock.org,
      version: this.version,
      refusals: refusals?.number ?? 0,
    };
    return { reply, holds: settled.holds };
  }

  /** The state of rate limits, for an isolate that refuses by what it knew a second ago. */
  look(keys: readonly string[], clock: Clock): RateInfo[] {
    this.#stateSentAt = clock.real;
    return keys.flatMap((key) => {
      const meter = isRateKey(key) ? this.#rates.find(key, clock.org) : null;
      return meter === null ? [] : [this.#info(meter, clock)];
    });
  }

  /** Returns whether an isolate may have made holds that it has not reported yet. */
  mayHoldUnreported(clock: Clock): boolean {
    for (const { slices } of this.#leases().holders()) {
      for (const [, slice] of slices) if (clock.real < slice.until + slice.lingerMs) return true;
    }
    return false;
  }

  /** How long until no slice given so far can be used. */
  waitOutMs(clock: Clock): number {
    return this.#leases().waitOutMs(clock.real);
  }

  /** After the limits have changed: drops what was read of them, and returns how long isolates may use the old ones. */
  changed(clock: Clock): number {
    this.#changes += 1;
    this.changedAt = clock.real;
    this.#rates.forget();
    this.#leases().pressAll();
    return Math.max(this.#leases().waitOutMs(clock.real), this.#stateSentAt + LEASE.standingMs - clock.real);
  }

  /** A refused decision has held nothing, so there is nothing to take back. */
  #exact(ask: DecisionAsk, rates: RateTerms, view: View): LeasedDecision {
    const ending = new Ending();
    const decided = decideOnce(openTx(view, ending), ask, rates);
    ending.end(view, isRefusal(decided.result));
    return decided;
  }

  #decisionPlan(ask: DecisionAsk, view: View): DecisionPlan | null {
    const meters = this.decisionMeters(ask, view.actor.id);
    if (meters.some(({ key }) => key.length > MOST_SUBJECT_CHARACTERS)) return null;
    return decisionPlanFor(view, ask, this.#rates.policies());
  }

  /** Adds those of a report. The first time they are already among what is stored. */
  #requestsWith(holds: readonly ReportedHolds[]): ReservedRequests {
    if (this.#requests === null) {
      checkpointFirst(this.#storage);
      this.#requests = ReservedRequests.stored(this.#storage.sql, String(this.#wokeAt));
      return this.#requests;
    }
    for (const [, named] of holds) for (const hold of named) this.#requests.note(idOf(hold));
    return this.#requests;
  }

  policies(): readonly RatePolicy[] {
    return this.#rates.policies();
  }

  /** The rate limits that calls like this one touch. */
  decisionMeters(ask: DecisionAsk, keyId: string): RateMeter[] {
    return this.#rates.touchedBy({ route: DECISION_ROUTE, keyId, names: ask });
  }

  /** Changes whenever the limits do. */
  get version(): string {
    return `${this.#wokeAt}.${this.#changes}`;
  }

  #standings(
    meters: readonly RateMeter[],
    amountOf: (meter: RateMeter) => number,
    clock: Clock,
  ): RateRequest[] {
    return meters.map((meter) => {
      const amount = amountOf(meter);
      return { meter, standing: this.#rates.standing(meter, amount, this.#leases(), clock), amount };
    });
  }

  #info(meter: RateMeter, clock: Clock): RateInfo {
    const standing = this.#rates.standing(meter, 1, this.#leases(), clock);
    const more = Math.min(standing.room + 1, meter.policy.limit);
    const { waitMs } = this.#rates.standing(meter, more, this.#leases(), clock);
    const ahead = this.#rates.ahead(meter, this.#leases(), clock);
    const info = { key: leaseKey(meter, clock.org), ...standing, moreInMs: waitMs };
    const showsAhead = standing.room < 1 || meter.policy.unit === "usd";
    return showsAhead && ahead !== null ? { ...info, ahead } : info;
  }

  #leases(): LeaseLedger {
    return leaseLedgerOf(this.#storage.sql);
  }

  #transaction<T>(run: () => T, begin: typeof walTransaction = walTransaction): T {
    try {
      return begin(this.#storage, run);
    } catch (error) {
      this.#rates.forget();
      throw error;
    }
  }
}
