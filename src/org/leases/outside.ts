import { usualExpiryOf } from "../keys/holder.ts";
import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { type CountedBy, TAG_PREFIX } from "../../contract/dimensions.ts";
import type { UnsettledReason } from "../../contract/lists.ts";
import { LEASE_VERSION, TOUCH_MOST_CHARACTERS } from "../../contract/bounds.ts";
import type { LeaseExchange, LeaseReport } from "../../contract/resources/edge-leases.ts";
import { SINGLE_SCOPES, type SingleScope } from "../../contract/scopes.ts";
import { countedBy } from "../../domain/meter/counted-by.ts";
import type { CallAllowance } from "../../domain/rate/call-allowance.ts";
import { toExactJson } from "../../domain/text/exact-json.ts";
import { unitOf } from "../../domain/meter/meter.ts";
import { leaseKey, needsNoBody, type RateMeter, type RatePolicy } from "../../domain/rate/policy.ts";
import { traitsOf } from "../../domain/rate/match.ts";
import { FOR_GATE, type ReservationIds } from "../../domain/reservation/reservation-id.ts";
import { peppersOf } from "../../settings.ts";
import { signLimitSet, type LimitSetHolder } from "../../domain/meter/limit-set-token.ts";
import { accountKey } from "../../gate/decision/account-key.ts";
import { checksAll, type DecisionAsk } from "../../gate/decision/ask.ts";
import { mayCover } from "../../gate/lease/lease-ledger.ts";
import { LEASE } from "../../gate/lease/protocol.ts";
import type { DecisionPlan, RelevantNames } from "../../gate/snapshot/decision-plan.ts";
import type { DecisionVerdict } from "../../gate/decision/object-verdict.ts";
import { SNAPSHOT } from "../../gate/snapshot/snapshot.ts";
import { hasDetectors } from "../content-safety/config.ts";
import { spanExports } from "../span-exports/state.ts";
import { fallbackFactsOf } from "../fallbacks/store.ts";
import { forgottenUntil } from "../decisions/forgotten.ts";
import { reportedIds } from "../decisions/store.ts";
import type { View } from "../kernel/door.ts";
import { holderOf } from "../keys/holder.ts";
import type { Clock } from "../rate-limits/meters.ts";
import { knownMeters, loadMetersById } from "../meters/store.ts";
import { leaseLedgerOf } from "./ledger-store.ts";
import type { ObjectGate } from "./gate.ts";
import { cutRefusedCalls, callsIn, knownLimits, type KnowsLimit } from "./outside-refusals.ts";
import { pickRelevantNames } from "./outside-call.ts";
import { checkReport } from "./outside-report.ts";

/** Gates of one key that have, or lately had, slices. Each has a share, and more of them would leave none with any. */
const MOST_GATES = 100;

/**
 * Leases for gates in callers' own processes. They get what our own isolates get, as far as their key may know it, and
 * what they report is checked against what they were given.
 */
export class OutsideGates {
  readonly #gate: ObjectGate;
  readonly #view: View;
  readonly #ids: ReservationIds;
  readonly #clock: Clock;
  readonly #holder: LimitSetHolder;
  readonly #allowance: CallAllowance;

  constructor(gate: ObjectGate, view: View, clock: Clock, allowance: CallAllowance) {
    this.#gate = gate;
    this.#allowance = allowance;
    this.#view = view;
    this.#ids = view.reservationIds();
    this.#clock = clock;
    const { settings, orgId, actor } = view;
    const [pepper, otherPepper] = peppersOf(settings);
    this.#holder = { pepper, otherPepper, orgId, keyId: actor.id };
  }

  exchange(given: LeaseExchange, verdict: DecisionVerdict | null): ExchangeAnswer {
    return this.#exchange(given, verdict, { isLast: false });
  }

  /** Of a key that has ended: it reports what it held and what it keeps, gets nothing, and is told nothing. */
  lastExchange({ version, holder, report }: LeaseExchange): ExchangeAnswer {
    if (report === undefined) return this.#exchange({ version, holder }, null, { isLast: true });
    const { refusals, ...rest } = report;
    // Its refusals are acknowledged, so that the gate comes to rest, and are not kept.
    const none = refusals === undefined ? {} : { refusals: { ...refusals, notes: [], more: [] } };
    return this.#exchange({ version, holder, report: { ...rest, watch: [], ...none } }, null, {
      isLast: true,
    });
  }

  #exchange(
    given: LeaseExchange,
    verdict: DecisionVerdict | null,
    { isLast }: { readonly isLast: boolean },
  ): ExchangeAnswer {
    const taken = given.report === undefined ? NOTHING : this.#take(given.holder, given.report, isLast);
    if (taken === null) {
      const message = "must be touches that were given to this key";
      return refusedExchange(invalidField("report.touches", "invalid_value", message));
    }
    const ungoverned = given.ungoverned === undefined ? 0 : this.#counted(given.ungoverned);
    const unsettled = Object.entries(given.unsettled ?? {}).map(([reason, calls]) => [
      reason,
      this.#counted(calls ?? 0),
    ]);
    const text = toExactJson({
      version: LEASE_VERSION,
      valid_ms: isLast ? 0 : this.#validMs(),
      checks: this.#view.profile().decisionDefaults.checks,
      on_expiry: usualExpiryOf(this.#view),
      counted_by: isLast ? [] : this.#countedBy(),
      scans_input: !isLast && hasDetectors(this.#view.sql),
      sends_spans: !isLast && spanExports(this.#view.sql).length > 0 ? true : undefined,
      fallbacks: isLast ? undefined : fallbackFactsOf(this.#view.sql, this.#clock.org),
      ids: Array.from({ length: given.ids ?? 0 }, () => this.#ids.newId(this.#clock.org, FOR_GATE)),
      refused: taken.refused,
      verdict:
        verdict === null || given.ask === undefined ? null : this.#toOutsideVerdict(given.ask, verdict),
      leases: taken.leases === null ? null : (JSON.parse(taken.leases) as object),
    });
    return { refusal: null, text, ungoverned, unsettled: Object.fromEntries(unsettled) as UnsettledCounts };
  }

  #counted(reported: number): number {
    return this.#allowance.take(this.#holder.keyId, reported, this.#clock.real);
  }

  /** The report without refused calls that the key's gates cannot have had. */
  #believed({ refusals, ...report }: LeaseReport): LeaseReport {
    if (refusals === undefined) return report;
    return { ...report, refusals: cutRefusedCalls(this.#counted(callsIn(refusals)), refusals) };
  }

  /** Null if the report names touches that were not given to this key. */
  #take(name: string, given: LeaseReport, isLast: boolean): TakenReport | null {
    const { sql } = this.#view;
    const book = leaseLedgerOf(sql);
    // No gate of ours has a name with a space.
    const own = `${this.#holder.keyId} `;
    const stored = book.holder(own + name);
    // A slice that the object is about to take back covers nothing.
    const slices = stored.slices.filter(([key, slice]) => mayCover(key, slice, this.#clock.real));
    const others = [...book.holders()].filter(
      ({ holder }) => holder.startsWith(own) && holder !== own + name,
    );
    const checked = checkReport(this.#believed(given), {
      holder: this.#holder,
      ids: this.#ids,
      stored: { ...stored, slices },
      mayHaveMore: !isLast && others.length < MOST_GATES,
      version: this.#gate.version,
      takesEarlier: this.#clock.real < this.#gate.changedAt + LEASE.lifeMs + LEASE.longestHoldMs,
      orgNow: this.#clock.org,
      aheadMs: this.#clock.org - this.#clock.real,
      forgottenUntil: forgottenUntil(sql),
      reportedIn: (ids) => reportedIds(sql, ids),
      knowsLimit: this.#limitsIn(given),
    });
    if (checked === null) return null;
    return {
      leases: this.#gate.syncReport(checked.report, this.#view, this.#clock),
      refused: checked.refused,
    };
  }

  #limitsIn({ refusals }: LeaseReport): KnowsLimit {
    const named = [...(refusals?.notes ?? []), ...(refusals?.more ?? [])].map(({ limit }) => limit);
    const meters = loadMetersById(this.#view.sql, new Set(named), this.#clock.org);
    return knownLimits(meters, this.#gate.policies());
  }

  /** From what the object keeps in memory: a gate exchanges several times a second. */
  #countedBy(): CountedBy[] {
    const { countedBy: byMeters } = knownMeters(this.#view.sql, this.#clock.org);
    return countedBy([...byMeters, ...this.#gate.policies().flatMap(({ match }) => traitsOf(match))]);
  }

  /** A gate stops when its key does. */
  #validMs(): number {
    const { expiresAtMs } = holderOf(this.#view);
    const leftMs = (expiresAtMs ?? Number.POSITIVE_INFINITY) - this.#view.now;
    return Math.max(0, Math.min(SNAPSHOT.lifeMs, leftMs));
  }

  #toOutsideVerdict(ask: DecisionAsk, verdict: DecisionVerdict): object {
    const { decisionPlan, ...rest } = verdict;
    const none = { ...rest, decisionPlan: null, touch: null, policies: [] };
    if (decisionPlan === null || !this.#isForSlices(ask)) return none;
    const meters = this.#gate.decisionMeters(ask, this.#holder.keyId);
    const token = signLimitSet(this.#holder, this.#limitSet(ask, decisionPlan, meters));
    if (token.length > TOUCH_MOST_CHARACTERS) return none;
    return {
      ...rest,
      decisionPlan: shown(decisionPlan),
      touch: token,
      policies: meters.map(({ policy }) => policy),
    };
  }

  /** A gate outside knows no rules or detectors. */
  #isForSlices(ask: DecisionAsk): boolean {
    return !checksAll(ask, this.#view.profile().decisionDefaults.checks);
  }

  #limitSet(ask: DecisionAsk, { accounts, matters }: DecisionPlan, meters: readonly RateMeter[]) {
    const rates = meters.map((meter) => ({ key: leaseKey(meter, this.#clock.org), policy: meter.policy }));
    const inUnit = (unit: RatePolicy["unit"]) =>
      rates.filter(({ policy }) => policy.unit === unit).map(({ key }) => key);
    return {
      version: this.#gate.version,
      keys: accounts.map(accountKey),
      ofTokens: accounts.filter(({ meter }) => unitOf(meter) === "tokens").map(accountKey),
      ofRuns: accounts.filter(({ meter }) => unitOf(meter) === "runs").map(accountKey),
      meters: accounts.map(({ meter }) => meter.id).join(" "),
      customer: matters.customer ? (ask.customer_id ?? null) : null,
      requests: inUnit("requests"),
      tokens: inUnit("tokens"),
      dollars: inUnit("usd"),
      byBody: rates.filter(({ policy }) => !needsNoBody(policy)).map(({ key }) => key),
      names: pickRelevantNames(ask, matters),
    };
  }
}

/** The reply as it goes to the caller, or the refusal. */
export interface ExchangeAnswer {
  readonly refusal: Refusal | null;
  readonly text: string | null;
  /** Calls that the gate let pass while the service was away, as far as they are counted. */
  readonly ungoverned: number;
  /** Calls whose runs the gate has dropped, as far as they are counted. */
  readonly unsettled: UnsettledCounts;
}

type UnsettledCounts = { readonly [Reason in UnsettledReason]?: number };

export function refusedExchange(refusal: Refusal): ExchangeAnswer {
  return { refusal, text: null, ungoverned: 0, unsettled: {} };
}

interface TakenReport {
  readonly leases: string | null;
  readonly refused: readonly string[];
}

const NOTHING: TakenReport = { leases: null, refused: [] };

/** A decision plan without what the org has set up beyond this call: other names that have limits, and who is alerted when. */
function shown({ accounts, matters, ceiling }: DecisionPlan): DecisionPlan {
  return {
    accounts: accounts.map(({ meter, subject, window, usage }) => {
      const { thresholds: _thresholds, lowRoom: _lowRoom, ...plain } = meter;
      return { meter: plain, subject, window, usage };
    }),
    matters: hidden(matters),
    ceiling,
  };
}

/** Null: every name may matter. */
function hidden(matters: RelevantNames): RelevantNames {
  const kinds = SINGLE_SCOPES.map((kind) => [kind, matters[kind]?.length === 0 ? [] : null] as const);
  const traits = matters.traits?.map(({ trait }) => (trait.startsWith(TAG_PREFIX) ? "tags" : trait));
  return {
    ...(Object.fromEntries(kinds) as Pick<RelevantNames, SingleScope>),
    customer: matters.customer,
    ...(traits === undefined
      ? {}
      : { traits: [...new Set(traits)].map((trait) => ({ trait, names: null, prefixes: [] })) }),
  };
}
