import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import {
  admit,
  charge,
  type ChargeResult,
  chargeFact,
  hasRoomForAll,
  NOTHING_MORE,
} from "../../domain/meter/admission.ts";
import { drawReserved } from "../../domain/meter/credit.ts";
import { type Attempt, type Denial, denialOf } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { traceParentToStore } from "../../domain/text/traceparent.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { CallStepBudget } from "../../domain/policy/step-budget.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { Tx } from "../kernel/door.ts";
import { keepOnRefusal } from "../kernel/lasting-effect.ts";
import { expireHolds, expireHoldsOf, TRIES_FOR_ROOM } from "../decisions/expire.ts";
import { spanExports } from "../span-exports/state.ts";
import { announceCharges, announceRefusal } from "../ledger/announce.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import type { CHECK_CODES, RUN_CODES } from "../../contract/limit-codes.ts";
import { toRefusal } from "../../domain/refusal/limit-refusal.ts";
import type { MeterAccount } from "../meters/usage.ts";
import { runChecks } from "../checks/checks.ts";
import { Batch, isFact, type PreparedRun } from "./batch.ts";
import { chargeText } from "../../domain/meter/charge-text.ts";
import { saveDaily } from "./daily.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { announceRecorded, overEvent } from "./announce.ts";
import { type Cost, Prices } from "./prices.ts";
import { RunRates } from "./rates.ts";
import { scheduleRollups } from "./segment-work.ts";
import type { Run } from "./run.ts";
import { runOf } from "./run-of.ts";
import { replaceEstimate } from "./replacements.ts";
import { insertRuns } from "./store.ts";
import { Sums } from "./sums.ts";
import { cached } from "../../domain/cache/cached.ts";

/** The charge of an accepted run. */
interface Acceptance {
  readonly accounts: readonly Account[];
  readonly charged: ChargeResult;
  readonly shadow: readonly Denial[];
}

type Code =
  | (typeof RUN_CODES)[number]
  | (typeof CHECK_CODES)[number]
  | "rate_limited"
  | "missing_scope"
  | "forbidden"
  | "gone"
  | "key_expired"
  | "conflict"
  | "validation_failed"
  | "service_unavailable";

export type RecordResult =
  | { readonly status: "accepted" | "duplicate"; readonly run: Run }
  | {
      readonly status: "rejected";
      readonly id: string | null;
      readonly refusal: Refusal<Code>;
      /** The meter that refused, and what it refused. */
      readonly by: { readonly account: Account; readonly attempt: Attempt } | null;
    };

/**
 * Records runs one after another, each on its own: checked in memory against what earlier runs left, then written
 * together. The caller's transaction makes it atomic.
 */
export class Recorder {
  readonly #tx: Tx;
  readonly #work: UnitOfWork;
  readonly #batch: Batch;
  /** True if no limit can refuse any run of the batch. Then they are charged together at the end. */
  #hasRoom = false;
  #isBound = false;
  /** Null if the org has no rate limit that runs must be checked against. */
  readonly #rates: RunRates | null;
  /** Shared by all runs of the batch, because each try scans every expired hold. */
  #triesForRoom = TRIES_FOR_ROOM;
  readonly #checks: ReturnType<typeof runChecks>;
  readonly #stepBudget = new CallStepBudget();
  readonly #accepted: Run[] = [];
  /** Announced together, with one statement for each subscription. */
  readonly #over: object[] = [];
  readonly #sums = new Sums();
  readonly #chargeTexts = new Map<readonly Account[], string>();
  readonly #hasSpans: boolean;

  constructor(tx: Tx, route: string) {
    this.#tx = tx;
    this.#rates = RunRates.of(tx, route);
    this.#work = new UnitOfWork(tx.sql, "run", tx.now);
    this.#batch = new Batch(tx, this.#work);
    this.#checks = runChecks(tx);
    this.#hasSpans = spanExports(tx.sql).length > 0;
  }

  /** Writes what the recorded runs took from limits. */
  save(): void {
    this.#work.save();
    this.#rates?.save();
  }

  /** `isBound`: their sender may send no run but those of reservations. */
  record(
    inputs: readonly RunInput[],
    { isBound = false }: { readonly isBound?: boolean } = {},
  ): RecordResult[] {
    this.#isBound = isBound;
    expireHolds(this.#tx);
    const accounts = this.#batch.read(inputs);
    const costs = new Prices(this.#tx.sql, this.#tx.now).costsOf(inputs);
    this.#hasRoom = inputs.length > 1 && this.#hasRoomFor(inputs, costs);
    const recorded = inputs.map((input, i) => this.#recordOne(input, accounts[i] ?? [], costs[i] ?? NO_COST));
    if (this.#hasRoom) for (const [touched, attempts] of this.#sums.attempts()) charge(touched, attempts);
    insertRuns(this.#tx.sql, this.#accepted, this.#batch.sought);
    scheduleRollups(this.#tx);
    saveDaily(this.#tx.sql, this.#sums);
    this.#tx.emitAll("run.over_limit", this.#over);
    announceRecorded(this.#tx, this.#accepted, this.#sums.nanos);
    announceCharges(this.#tx, this.#work.entries());
    return recorded;
  }

  /** Facts are charged even without room, at the time of their holds, each on its own. */
  #hasRoomFor(inputs: readonly RunInput[], costs: readonly Cost[]): boolean {
    let nanos = 0n;
    let tokens = 0;
    for (let at = 0; at < inputs.length; at += 1) {
      const input = inputs[at];
      if (input === undefined || isFact(input)) return false;
      const cost = costs[at] ?? NO_COST;
      if (!isRefusal(cost)) nanos += cost.nanos;
      tokens += input.usage.input_tokens + input.usage.output_tokens;
    }
    return hasRoomForAll(this.#work.entries(), { nanos, tokens, depth: 0, runs: inputs.length });
  }

  #recordOne(input: RunInput, accounts: readonly Account[], cost: Cost): RecordResult {
    const before = this.#batch.recorded(input);
    if (before !== null) {
      return isRefusal(before) ? rejectRun(input, before) : { status: "duplicate", run: before };
    }
    const prepared = this.#batch.prepare(input, cost);
    if (isRefusal(prepared)) return rejectRun(input, prepared);
    return prepared.isFact
      ? this.#recordFact(input, prepared, accounts)
      : this.#recordAttempt(input, prepared, accounts);
  }

  #recordAttempt(input: RunInput, prepared: PreparedRun, accounts: readonly Account[]): RecordResult {
    const limited = this.#rates?.refusalOf(input, prepared.attempt.nanos) ?? null;
    if (limited !== null) return rejectRun(input, limited);
    const effects = this.#check(input, prepared.attempt.nanos);
    if (isRefusal(effects)) return rejectRun(input, effects);
    const { attempt } = prepared;
    if (this.#hasRoom) {
      for (const effect of effects) effect();
      return this.#accept(input, prepared, { accounts, charged: NOTHING_MORE, shadow: [] });
    }
    const { refusedBy, shadow } = this.#admitFreeing(accounts, attempt);
    if (refusedBy !== null) {
      return rejectBy(input, refusedBy, attempt);
    }
    const denials = shadow.map((account) => denialOf(account, attempt, "run"));
    for (const account of shadow) announceRefusal(this.#tx, account as MeterAccount, attempt, "run");
    for (const effect of effects) effect();
    return this.#accept(input, prepared, { accounts, charged: charge(accounts, attempt), shadow: denials });
  }

  /** Returns the effects of an accepted run, or the first check's refusal. */
  #check(input: RunInput, nanos: bigint): readonly (() => void)[] | Refusal<(typeof CHECK_CODES)[number]> {
    const checks = this.#checks;
    if (checks === null) return NO_EFFECTS;
    const effects: (() => void)[] = [];
    for (const { refusal, effect, tell } of this.#stepBudget.forRun((steps) => checks(input, nanos, steps))) {
      if (refusal !== null) {
        keepOnRefusal(this.#tx, effect);
        tell?.();
        return refusal;
      }
      effects.push(effect);
    }
    return effects;
  }

  /** Expired holds may still fill a limit, so they are ended before it refuses. */
  #admitFreeing(accounts: readonly Account[], attempt: Attempt): ReturnType<typeof admit> {
    let found = admit(accounts, attempt);
    while (found.refusedBy !== null && this.#triesForRoom > 0) {
      this.#triesForRoom -= 1;
      const ended = expireHoldsOf(this.#tx, this.#work, found.refusedBy);
      if (ended.length === 0) break;
      this.#batch.expired(ended);
      found = admit(accounts, attempt);
    }
    return found;
  }

  #recordFact(input: RunInput, prepared: PreparedRun, own: readonly Account[]): RecordResult {
    const { attempt, hold } = prepared;
    const accounts = hold === null ? own : this.#batch.chargedWith(hold, own);
    // Nobody knows what was reserved, so such a sender gets no further than a decision would let it.
    if (this.#isBound && hold?.unreported === 1) {
      const { refusedBy } = this.#admitFreeing(accounts, attempt);
      if (refusedBy !== null) return rejectBy(input, refusedBy, attempt);
    }
    const reserved =
      hold === null
        ? []
        : this.#batch.settle(hold, input, () => this.#rates?.countedOf(input, hold, attempt.nanos));
    const charged = chargeFact(accounts, attempt, drawReserved(reserved, attempt.nanos));
    const recorded = this.#accept(input, prepared, { accounts, charged, shadow: [] });
    if (charged.over.length > 0) this.#over.push(overEvent(recorded.run, charged.over));
    if (hold !== null) replaceEstimate(this.#tx, recorded.run, hold);
    return recorded;
  }

  #accept(
    input: RunInput,
    prepared: PreparedRun,
    { accounts, charged, shadow }: Acceptance,
  ): { status: "accepted"; run: Run } {
    const keyId = keyOf(this.#tx) ?? null;
    const run = runOf(input, {
      id: input.id ?? newId("run", this.#tx.now),
      keyId,
      chargedAt: prepared.chargedAt,
      recordedAt: this.#tx.now,
      depth: prepared.attempt.depth,
      cost: prepared.attempt.nanos,
      charges: this.#chargeText(accounts),
      extra: extraOf(input, charged, shadow, {
        revision: prepared.revision,
        saved: prepared.saved,
        hold: prepared.hold,
        accounts,
        keyId,
        trace: this.#traceOf(input),
      }),
    });
    this.#accepted.push(run);
    this.#rates?.take(input, prepared.hold, prepared.attempt.nanos);
    this.#sums.add(run, accounts);
    this.#batch.remember(run);
    return { status: "accepted", run };
  }

  /** Stored only where it is sent on. */
  #traceOf({ traceparent }: RunInput): string | null {
    if (!this.#hasSpans) return null;
    return traceParentToStore(traceparent ?? null) ?? this.#tx.parent;
  }

  /** Runs of one kind touch the same accounts, and share one text for them. */
  #chargeText(accounts: readonly Account[]): string {
    return cached(this.#chargeTexts, accounts, () => chargeText(accounts));
  }
}

function rejectBy(input: RunInput, account: Account, attempt: Attempt): RecordResult {
  const refusal = toRefusal(denialOf(account, attempt, "run"), attempt.nanos);
  return { ...rejectRun(input, refusal), by: { account, attempt } };
}

const NO_EFFECTS: readonly (() => void)[] = [];
const NO_COST: Cost = { nanos: 0n, revision: null, saved: 0n };

export function rejectRun(
  input: RunInput,
  refusal: Refusal<Code>,
): Extract<RecordResult, { status: "rejected" }> {
  return { status: "rejected", id: input.id ?? null, refusal, by: null };
}
