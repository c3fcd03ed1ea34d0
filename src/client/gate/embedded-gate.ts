import type { Refusal } from "../../contract/refusal.ts";
import { leastOf } from "../../gate/decision/ask.ts";
import type { GateCaller } from "../../gate/snapshot/caller.ts";
import type { Background } from "../../gate/lease/background.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { refusalNote } from "../../domain/refusal/note.ts";
import { plainTraceParent, traceParentToStore } from "../../domain/text/traceparent.ts";
import {
  allowHere,
  costOf,
  isForSlices,
  hasPlan,
  slicesOf,
  noteDemand,
} from "../../gate/decision/decision.ts";
import { newTotals } from "../../gate/snapshot/host-totals.ts";
import { installPlan } from "../../gate/snapshot/install-plan.ts";
import { OrgGate } from "../../gate/org-gate.ts";
import { AllowCache } from "../../gate/decision/allow-cache.ts";
import { allowValues } from "../../gate/decision/verdict.ts";
import { fromEnvironment } from "../environment.ts";
import { Refused, SluiceError, Unreachable } from "../errors.ts";
import type {
  DecisionsDecideBody,
  DecisionsRenewBody,
  FallbackRule,
  RunInput,
  Verdict,
} from "../generated/types.ts";
import { Sluice } from "../sluice.ts";
import { fetchOver } from "./binding.ts";
import { exchange, type Exchange, type ExchangeReply, type ExchangedVerdict } from "./exchange.ts";
import { FallbackRules } from "./fallback-rules.ts";
import { IdPool } from "./id-pool.ts";
import { askForBounds, KnownBounds, type ModelBounds } from "./model-bounds.ts";
import type { GateOptions, GateStats } from "./options.ts";
import { KnownFacts, type OrgFacts } from "./org-facts.ts";
import { holdWhile, sendAtEnd } from "./process-end.ts";
import { Settlements } from "./settlements.ts";
import { SteadyClock } from "./steady-clock.ts";
import { LimitSetTokens } from "./limit-set-tokens.ts";
import { logUnsettled } from "./unsettled-log.ts";
import { UnreportedCounts } from "./unreported-counts.ts";
import { toRefused, ungovernedAllow } from "./verdicts.ts";

const KEY = /^svc_(?:live|test)_([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})_/;
const DECISION_ROUTE = "POST /v1/edge/decision";
/** One is enough, unless answers are lost or there is more to report than fits into one. */
const MOST_LAST_REPORTS = 5;
/** With its client and some prices. */
const OWN_BYTES = 10_000;
const ID_BYTES = 64;
const RUN_BYTES = 1000;
/** With its slices and what is known of its limits. */
const LIMIT_SET_BYTES = 2000;
const NUMBER_BYTES = 24;

/** An allow, and the reservation that its run settles. Null if no limit has seen it. */
export interface Allowed extends Omit<Verdict, "decision"> {
  readonly decision: "allow" | "deny";
}

export interface DecideOptions {
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** The `traceparent` header of the request that the call is made for. A refusal is sent on as a span below that one. */
  readonly traceparent?: string | null | undefined;
}

/** A run as it is settled: what the reservation says already may be left out. */
export type SettledRun = Omit<RunInput, "started_at" | "reservation_id"> & { readonly started_at?: string };

export class EmbeddedGate {
  readonly #sluice: Sluice;
  readonly #options: GateOptions;
  readonly #timeoutMs: number;
  readonly #holder = crypto.randomUUID();
  readonly #totals = newTotals();
  readonly #gate = new OrgGate(this.#holder, new AllowCache(), this.#totals);
  readonly #clock = new SteadyClock();
  readonly #ids = new IdPool(() => this.#clock.now());
  readonly #limitSetTokens = new LimitSetTokens();
  readonly #facts = new KnownFacts();
  readonly #bounds = new KnownBounds();
  readonly #fallbacks = new FallbackRules(
    async (question) => (await this.#sluice.edgeFallbacks.find(question, { maxRetries: 0 })).rules,
    () => this.#clock.now(),
  );
  #caller: GateCaller;
  readonly #settlements: Settlements;
  #validUntil = 0;
  readonly #unreportedCounts = new UnreportedCounts();
  readonly #counts = { allowedHere: 0, refusedHere: 0, asked: 0, ungoverned: 0, holdsRefused: 0 };

  constructor(options: GateOptions) {
    const { key = fromEnvironment("SLUICE_KEY") ?? "", binding, url, timeoutMs = 3000 } = options;
    const [, org, keyId] = KEY.exec(key) ?? [];
    if (org === undefined)
      throw new SluiceError("key must be an API key of an organization (svc_live_… or svc_test_…)");
    this.#options = options;
    const over = binding === undefined ? options.fetch : fetchOver(binding, key);
    this.#sluice = new Sluice({ key, url, fetch: over, timeoutMs });
    this.#timeoutMs = timeoutMs;
    this.#caller = {
      orgId: `org_${org}`,
      keyId: `key_${keyId}`,
      policies: [],
      unread: [],
      checks: "limits",
      onExpiry: "release",
      judge: null,
      names: () => this.#ids,
    };
    this.#settlements = new Settlements(this.#sluice, {
      flushMs: options.flushMs ?? 1000,
      mostQueued: options.mostQueued ?? 10_000,
      onError: options.onError ?? logUnsettled,
      dropped: (reason) => this.#owe(() => this.#unreportedCounts.add(reason)),
      before: () => this.#gate.flush(this.#background(undefined)),
      after: () => {
        this.#gate.freed(this.#clock.now());
        return this.#tellOwed();
      },
    });
    sendAtEnd(this);
  }

  /** Resolves to the allow, and rejects with `Refused`, or `Unreachable` where nobody can tell. */
  async decide(
    ask: DecisionsDecideBody,
    { waitUntil, traceparent = null }: DecideOptions = {},
  ): Promise<Allowed> {
    if (this.#settlements.isFull) {
      throw new Unreachable("too many runs wait to be reported, so nothing more is allowed", {});
    }
    const background = this.#background(waitUntil);
    const now = this.#clock.now();
    const here =
      now < this.#validUntil ? allowHere(this.#gate, this.#caller, ask, { now, background }) : null;
    // Only where the service says that spans are sent on: no other reads it.
    const parent = this.#facts.last?.sendsSpans === true ? plainTraceParent(traceparent) : undefined;
    if (here === null) return this.#ask(ask, background, parent);
    if ("refused" in here) throw this.#refusedHere(ask, here, { now, background, parent });
    this.#counts.allowedHere += 1;
    return allowValues(this.#gate, here);
  }

  /**
   * Returns what holds of the organization, at most two seconds old. Asking the service for it also proves the key:
   * rejects with `Refused` for a key that may not decide, and with `Unreachable` where nobody can tell.
   */
  async facts(): Promise<OrgFacts> {
    return this.knownFacts ?? (await this.#askFacts());
  }

  /** The same as far as it is known without asking. Null if nothing is known, or it is too old. */
  get knownFacts(): OrgFacts | null {
    return this.#clock.now() < this.#validUntil ? this.#facts.last : null;
  }

  /**
   * The fallbacks that apply to a call: what it is tried with next, and when. Kept for a while, and asked for only where the
   * organization has some. Empty also if the service cannot be asked: then nothing else is tried.
   */
  async fallbacksOf(ask: DecisionsDecideBody): Promise<readonly FallbackRule[]> {
    const facts = this.#facts.last?.fallbacks ?? null;
    return facts === null ? [] : this.#fallbacks.get(facts, ask).catch(() => []);
  }

  /**
   * Returns whether a call may begin with another model than its own. Null if nothing was heard of the organization
   * yet.
   */
  get beginsWithFallbacks(): boolean | null {
    const { last } = this.#facts;
    return last === null ? null : last.fallbacks?.shares === true;
  }

  #askFacts(): Promise<OrgFacts> {
    return this.#facts.ask(async () => (await this.#exchange({ ids: 0 })).facts);
  }

  /** The object is told of it with a report, and keeps it like a refusal of its own. */
  #refusedHere(
    ask: DecisionsDecideBody,
    refusal: Refusal,
    { now, background, parent }: { now: number; background: Background; parent: string | undefined },
  ): Refused {
    this.#counts.refusedHere += 1;
    const trace = crypto.randomUUID();
    const at = this.#gate.orgNow(now) ?? now;
    const note = refusalNote(refusal, {
      at,
      trace,
      decided: "edge",
      operation: DECISION_ROUTE,
      keyId: this.#caller.keyId,
      names: ask,
      nanos: costOf(this.#gate, leastOf(ask), at),
      parent: traceParentToStore(parent ?? null),
    });
    if (note !== null) this.#gate.noteRefusal(note, now, background);
    return toRefused(refusal, trace);
  }

  /**
   * Queues the run that an allow led to. It is sent with others, once, as soon as the service can be reached. In a Worker,
   * `waitUntil` keeps it going after the response.
   */
  settle(
    allowed: Pick<Allowed, "reservation"> | string,
    run: SettledRun,
    { waitUntil = this.#options.waitUntil }: Pick<DecideOptions, "waitUntil"> = {},
  ): void {
    const reservation = reservationOf(allowed);
    const { id = crypto.randomUUID(), started_at = new Date().toISOString() } = run;
    const named = { ...run, id, started_at };
    this.#settlements.add(
      reservation === undefined ? { ...named, incurred: true } : { ...named, reservation_id: reservation },
      waitUntil,
      reservedUsdOf(allowed),
    );
  }

  /** Keeps what an allow reserved for longer, or changes its amount. */
  async renew(
    allowed: Pick<Allowed, "reservation"> | string,
    renewal: DecisionsRenewBody,
  ): Promise<NonNullable<Allowed["reservation"]>> {
    const reservation = reservationOf(allowed);
    if (reservation === undefined) throw new SluiceError("nothing was reserved that could be renewed");
    await this.#gate.flush(this.#background(undefined));
    const renewed = await this.#sluice.decisions.renew(reservation, renewal);
    this.#gate.freed(this.#clock.now());
    return renewed.reservation;
  }

  /** Gives back what an allow reserved, for a call that was not made. */
  async release(allowed: Pick<Allowed, "reservation"> | string): Promise<void> {
    const reservation = reservationOf(allowed);
    if (reservation === undefined) return;
    await this.#gate.flush(this.#background(undefined));
    await this.#sluice.decisions.release(reservation);
    this.#gate.freed(this.#clock.now());
  }

  /**
   * Returns what the price of a model says about its calls: its largest context, its longest output, and its units.
   * Null if such calls have no price. The service is asked once for each provider and model.
   */
  async priceOf(name: ModelName): Promise<ModelBounds | null> {
    const known = this.#bounds.get(name);
    if (known !== null) return known;
    const ask = askForBounds(name);
    const askedAt = this.#clock.now();
    const { verdict } = await this.#exchange({ ask, learn: true });
    if (verdict === null) throw new Unreachable("the service answered a decision with nothing", {});
    this.#install(ask, verdict, { askedAt, now: this.#clock.now() });
    return this.#bounds.get(name);
  }

  /** Sends everything that waits. */
  async flush(): Promise<void> {
    await this.#settlements.flush();
    await this.#gate.flush(this.#background(undefined));
    await this.#tellOwed();
  }

  /** Sends everything that waits and gives back every slice. The gate can be used again. */
  async close(): Promise<void> {
    await this.flush();
    for (let report = 0; report < MOST_LAST_REPORTS && !this.#gate.idle; report += 1) {
      await this.#gate.close(this.#background(undefined));
    }
  }

  get stats(): GateStats {
    const { queued, sent, rejected } = this.#settlements;
    return { ...this.#counts, runsQueued: queued, runsSent: sent, runsRejected: rejected };
  }

  /** About how much memory this gate takes. */
  get bytes(): number {
    const { limitSets, reservations } = this.#totals;
    const limits = limitSets.count * LIMIT_SET_BYTES + this.#limitSetTokens.bytes;
    const waiting = this.#settlements.queued * RUN_BYTES + this.#ids.size * ID_BYTES;
    return OWN_BYTES + limits + reservations.numbers * NUMBER_BYTES + this.#fallbacks.bytes + waiting;
  }

  async #ask(
    ask: DecisionsDecideBody,
    background: Background,
    traceparent: string | undefined,
  ): Promise<Allowed> {
    const gate = this.#gate;
    const askedAt = this.#clock.now();
    const isLeasable = isForSlices(ask, this.#caller);
    if (isLeasable) gate.asked += 1;
    const worth = isLeasable && gate.wantsPlan && !hasPlan(gate, this.#caller, ask, askedAt);
    const carried = isLeasable ? gate.carry(slicesOf(gate, this.#caller, ask), askedAt) : null;
    const report = carried === null ? {} : { report: this.#limitSetTokens.reportOf(carried.text) };
    let got: ExchangeReply;
    try {
      got = await this.#exchange({ ask, traceparent, learn: worth, ...report });
    } catch (error) {
      if (carried !== null) gate.answered(carried, null, this.#clock.now());
      return this.#withoutAnswer(error);
    }
    const now = this.#clock.now();
    if (carried !== null) gate.answered(carried, got.leases, now);
    const { verdict } = got;
    if (verdict === null) throw new Unreachable("the service answered a decision with nothing", {});
    this.#counts.asked += 1;
    this.#install(ask, verdict, { askedAt, now });
    if (verdict.refusal === null && isLeasable) noteDemand(gate, this.#caller, ask, { now, background });
    if (verdict.text !== null) return JSON.parse(verdict.text) as Allowed;
    if (verdict.refusal === null) throw new Unreachable("the verdict is missing", {});
    throw toRefused(verdict.refusal, got.trace);
  }

  #install(
    ask: DecisionsDecideBody,
    verdict: ExchangedVerdict,
    when: { askedAt: number; now: number },
  ): void {
    const { touch, policies, orgNow, decisionPlan } = verdict;
    const { model, provider } = ask;
    if (model !== undefined && decisionPlan !== null)
      this.#bounds.set({ model, provider }, decisionPlan.ceiling);
    if (touch !== null && decisionPlan !== null) {
      const asking = { route: DECISION_ROUTE, keyId: this.#caller.keyId };
      this.#limitSetTokens.set(ask, asking, { touch, decisionPlan, policies, orgNow });
    }
    installPlan(this.#gate, { ...this.#caller, policies }, ask, { verdict, ...when });
  }

  /** A refusal of the service is an answer. Where there is none, the caller has said what to do. */
  #withoutAnswer(error: unknown): Allowed {
    const isAway = error instanceof Unreachable || (error instanceof Refused && error.status >= 500);
    if (!isAway || this.#options.whenUnreachable !== "allow") throw error;
    this.#counts.ungoverned += 1;
    this.#owe(() => this.#unreportedCounts.add("ungoverned"));
    return ungovernedAllow();
  }

  async #exchange(given: Partial<Exchange>): Promise<ExchangeReply> {
    const askedAt = this.#clock.now();
    const counts = this.#unreportedCounts.report();
    try {
      const body = { ids: this.#ids.wanted, ...given, ...counts.fields };
      const by = { holder: this.#holder, timeoutMs: this.#timeoutMs };
      const got = await exchange(this.#sluice, by, body);
      this.#unreportedCounts.confirm(counts);
      holdWhile(!this.#unreportedCounts.isEmpty, this);
      this.#applyFacts(got, askedAt);
      const { onExpiry, facts } = got;
      const { checks } = facts;
      if (checks !== this.#caller.checks || onExpiry !== this.#caller.onExpiry) {
        this.#caller = { ...this.#caller, checks, onExpiry };
      }
      this.#ids.add(got.ids);
      this.#counts.holdsRefused += got.refused.length;
      return got;
    } catch (error) {
      // The key, or its org, may no longer decide anything.
      if (error instanceof Refused && error.status < 500 && error.status !== 429) this.#validUntil = 0;
      throw error;
    }
  }

  /** Counts what the service must hear of, whatever becomes of this gate's owner. */
  #owe(count: () => void): void {
    count();
    holdWhile(true, this);
  }

  async #tellOwed(): Promise<void> {
    if (!this.#unreportedCounts.isEmpty) await this.#exchange({}).catch(() => undefined);
  }

  /** Installs the facts of an exchange. Nothing holds any more of a key that has ended. */
  #applyFacts({ validMs, facts }: ExchangeReply, askedAt: number): void {
    if (validMs === 0) {
      this.#validUntil = 0;
      return;
    }
    this.#validUntil = Math.max(this.#validUntil, askedAt + validMs);
    this.#facts.set(facts, askedAt);
  }

  #background(given: DecideOptions["waitUntil"]): Background {
    const waitUntil = given ?? this.#options.waitUntil;
    return {
      object: () => ({
        syncLeases: async (text) =>
          (await this.#exchange({ report: this.#limitSetTokens.reportOf(text) })).leases,
      }),
      waitUntil: waitUntil ?? ((work) => void work.catch(() => undefined)),
      now: () => this.#clock.now(),
      wait: (ms) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          // Work that someone waits for keeps its process until it is done.
          if (waitUntil === undefined) (timer as { unref?: () => void }).unref?.();
        }),
    };
  }
}

function reservationOf(allowed: Pick<Allowed, "reservation"> | string): string | undefined {
  return typeof allowed === "string" ? allowed : allowed.reservation?.id;
}

function reservedUsdOf(allowed: Pick<Allowed, "reservation"> | string): string | undefined {
  return typeof allowed === "string" ? undefined : allowed.reservation?.amount_usd;
}
