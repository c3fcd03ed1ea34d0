import { isRefusal, type Refusal } from "../contract/refusal.ts";
import type { LeaseExchange } from "../contract/resources/edge-leases.ts";
import type { DecisionAsk } from "../gate/decision/ask.ts";
import type { DecisionReply, DecisionVerdict, RequestReply } from "../gate/decision/object-verdict.ts";
import { CallAllowance } from "../domain/rate/call-allowance.ts";
import type { RateSubject } from "../domain/rate/policy.ts";
import type { RefusalNote } from "../domain/refusal/note.ts";
import { logFailure } from "../log.ts";
import { callerRefusal } from "./caller.ts";
import { modelsOf } from "./decisions/decide.ts";
import { refusedDecision } from "./decisions/refusal-notes.ts";
import { fetchingOrRefusing } from "../storage/needs-fetch.ts";
import type { Envelope, View } from "./kernel/door.ts";
import { type ExchangeAnswer, OutsideGates, refusedExchange } from "./leases/outside.ts";
import { refuseFrozen } from "./moving/freeze.ts";
import { type ObjectContext, SYSTEM } from "./object-context.ts";
import type { Clock } from "./rate-limits/meters.ts";

const NOTHING_DECIDED = { text: null, rates: [], decisionPlan: null, version: "", leases: null } as const;

/** What reports of isolates are logged under. */
const LEASE_TRACE = "lease";

/** A decision that an isolate asks for, and what came with it. */
export interface DecisionCall {
  readonly ask: DecisionAsk;
  readonly keyId: string;
  /** True if the isolate wants to decide such calls by itself from now on. */
  readonly wantsPlan: boolean;
  readonly envelope: Envelope;
  /** The report of the isolate's own decisions. */
  readonly report: string | null;
}

/** Takes note of refusals. */
export type NoteRefusals = (notes: readonly RefusalNote[]) => void;

interface At {
  readonly clock: Clock;
  /** The refusal of a call because the price book could not be read. Null if it was read, or not needed. */
  readonly bookRefusal: Refusal | null;
  readonly noted: NoteRefusals;
}

/** Decisions that isolates and gates do not make by themselves, and what they report of their own. */
export class DecisionHandler {
  readonly #context: ObjectContext;
  readonly #allowance = new CallAllowance();

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Null if there is no such org. */
  decide(call: DecisionCall): DecisionReply | null | Promise<DecisionReply | null> {
    const { departure, contexts, book, freeze } = this.#context;
    if (!this.#context.isOpened) return departure.answer(null);
    const orRefused = (made: DecisionReply | Refusal) =>
      isRefusal(made) ? this.#decideNow(call, made) : made;
    const readAndDecide = (bookRefusal: Refusal | null): DecisionReply | Promise<DecisionReply> => {
      const reply = fetchingOrRefusing(() => this.#decideNow(call, bookRefusal));
      return reply instanceof Promise ? reply.then(orRefused) : orRefused(reply);
    };
    const now = contexts.now();
    const missing = book.missing(modelsOf(call.ask), now);
    const frozen = () => ({ ...NOTHING_DECIDED, refusal: refuseFrozen(), orgNow: contexts.now() });
    return freeze.through(() => {
      // It runs again once a move is over, and the org may be gone then.
      if (!this.#context.isOpened) return this.#gone();
      if (missing.length === 0) return readAndDecide(null);
      return book.load(missing, now, call.envelope.trace).then(readAndDecide);
    }, frozen);
  }

  /** Null if there is no such org. */
  admitRequest(subject: RateSubject, report: string | null): RequestReply | null {
    const { departure, contexts, gate } = this.#context;
    if (!this.#context.isOpened) return departure.answer(null);
    const verdict = gate.admitRequest(subject, contexts.clock());
    const isTaken = report !== null && !departure.isFrozen;
    return { ...verdict, leases: isTaken ? this.#carriedReport(report, LEASE_TRACE) : null };
  }

  syncLeases(report: string): string | null {
    const { departure, freeze, pulse, contexts, gate, due } = this.#context;
    if (!this.#context.isOpened) return departure.answer(null);
    // The isolate reports it again.
    freeze.check();
    pulse.beat();
    const clock = contexts.clock();
    const reply = gate.sync(report, contexts.view({ actor: SYSTEM, trace: LEASE_TRACE }, clock.org), clock);
    due.arm();
    return reply;
  }

  async exchangeLeases(given: LeaseExchange, envelope: Envelope): Promise<ExchangeAnswer | null> {
    const { departure, contexts, granted, gate, due } = this.#context;
    if (!this.#context.isOpened) return departure.answer(null);
    const keyId = envelope.actor.id;
    const { ask, learn: wantsPlan = false } = given;
    if (departure.isFrozen) return refusedExchange(refuseFrozen());
    const verdict =
      ask === undefined ? null : await this.decide({ ask, keyId, wantsPlan, envelope, report: null });
    if (!this.#context.isOpened) return departure.answer(null);
    if (departure.isFrozen) return refusedExchange(refuseFrozen());
    const clock = contexts.clock();
    const view = contexts.view(envelope, clock.org);
    const refusal = callerRefusal(view);
    if (refusal !== null) return this.#lastReport(given, view, refusal);
    // Whoever takes the key away is answered once no gate goes by this exchange any more.
    granted.note(keyId, Date.now());
    const reply = new OutsideGates(gate, view, clock, this.#allowance).exchange(given, verdict);
    due.arm();
    return reply;
  }

  /** Holds that a gate made before its key ended are taken once, so that the runs of these calls can be recorded. */
  #lastReport(given: LeaseExchange, view: View, refusal: Refusal): ExchangeAnswer {
    const { contexts, gate, due } = this.#context;
    const isFinishing = given.ask === undefined && given.report !== undefined;
    if (!isFinishing || callerRefusal(view, true) !== null) return refusedExchange(refusal);
    const reply = new OutsideGates(gate, view, contexts.clock(), this.#allowance).lastExchange(given);
    due.arm();
    return reply;
  }

  #decideNow(call: DecisionCall, bookRefusal: Refusal | null): DecisionReply {
    const { freeze, contexts, refusals, due } = this.#context;
    if (!this.#context.isOpened) return this.#gone();
    freeze.check();
    const noted: NoteRefusals = (notes) => refusals.note(notes);
    const verdict = this.verdict(call, { clock: contexts.clock(), bookRefusal, noted });
    due.arm();
    const { report, envelope } = call;
    return { ...verdict, leases: report === null ? null : this.#carriedReport(report, envelope.trace) };
  }

  /** The org left while the decision waited. */
  #gone(): DecisionReply {
    return this.#context.departure.answer<DecisionReply | null>(null) ?? unopened();
  }

  /** Decides at once. The org is here and is not being moved. */
  verdict(
    { ask, keyId, wantsPlan, envelope }: DecisionCall,
    { clock, bookRefusal, noted }: At,
  ): DecisionVerdict {
    const { contexts, pulse, gate } = this.#context;
    pulse.beat();
    const view = contexts.view(envelope, clock.org);
    const refusal = callerRefusal(view) ?? bookRefusal;
    const verdict =
      refusal === null
        ? gate.decide(ask, { keyId, wantsPlan, view, clock })
        : { refusal, text: null, rates: [], decisionPlan: null, orgNow: clock.org, version: "" };
    if (verdict.refusal !== null) noted(refusedDecision(view, ask, keyId, verdict.refusal));
    return verdict;
  }

  /** If a report fails, the decision that it came with still stands. The report will come again. */
  #carriedReport(report: string, trace: string): string | null {
    try {
      return this.syncLeases(report);
    } catch (error) {
      logFailure(trace, error);
      return null;
    }
  }
}

function unopened(): never {
  throw new Error("the object has no org");
}
