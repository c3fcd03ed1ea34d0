import { invalidField, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import {
  admit,
  charge,
  type Charged,
  chargeFact,
  hasRoomForAll,
  NOTHING_MORE,
} from "../../domain/admission.ts";
import { Sought } from "../../domain/id-index/sought.ts";
import { type Attempt, type Denial, denialOf } from "../../domain/kinds.ts";
import type { Account } from "../../domain/meter.ts";
import { scopesOf } from "../../domain/touch.ts";
import { isAddedUp } from "../../contract/meter-kinds.ts";
import { newId } from "../../domain/ulid.ts";
import { CallWork, type RunWork } from "../../domain/work.ts";
import { loadApproval } from "../approvals/store.ts";
import type { Tx } from "../kernel/door.ts";
import { expireHolds, expireHoldsOf, TRIES_FOR_ROOM } from "../decisions/expire.ts";
import { endHold, type HoldRow, insertHold, letGo, loadHolds } from "../decisions/store.ts";
import { unreportedHold } from "../decisions/unreported.ts";
import { announceCharges, announceRefusal } from "../ledger/announce.ts";
import { Draft } from "../ledger/draft.ts";
import { type RUN_CODES, toRefusal } from "../../domain/limit-refusal.ts";
import type { Entry } from "../meters/usage.ts";
import { type CHECK_CODES, RUN_CHECKS } from "./checks.ts";
import { saveDaily } from "./daily.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs.ts";
import { announceRecorded, overEvent } from "./announce.ts";
import { type Cost, Prices } from "./prices.ts";
import { findPurged, purgedRun } from "./purged.ts";
import { saysTheSame } from "./same.ts";
import { RunRates } from "./rates.ts";
import type { Run } from "./run.ts";
import { runOf } from "./run-of.ts";
import { findRuns, insertRuns } from "./store.ts";
import { Sums } from "./sums.ts";

type Code =
  | (typeof RUN_CODES)[number]
  | (typeof CHECK_CODES)[number]
  | "rate_limited"
  | "conflict"
  | "validation_failed";

export type Recorded =
  | { readonly status: "accepted" | "duplicate"; readonly run: Run }
  | {
      readonly status: "rejected";
      readonly id: string | null;
      readonly refusal: Refusal<Code>;
      /** The meter that refused, and what it refused. */
      readonly by: { readonly account: Account; readonly attempt: Attempt } | null;
    };

/**
 * Records runs one after another, each on its own: judged in memory against what those before it left, then written
 * together. The caller's transaction makes it whole.
 */
export class Recorder {
  readonly #tx: Tx;
  readonly #draft: Draft;
  /** Runs that others of the batch may be the same as, or follow. */
  readonly #known = new Map<string, Run>();
  /** Those that retention has taken away. */
  #purged: ReturnType<typeof findPurged> = new Map();
  /** Whether any can: else none need be remembered by its id, which for a thousand new texts takes its time. */
  #relates = false;
  /** Whether no run of the batch can be refused by a limit: then they are charged together, when all are judged. */
  #hasRoom = false;
  readonly #holds = new Map<string, HoldRow>();
  /** Null: the org has none that a run must be asked for. */
  readonly #rates: RunRates | null;
  /** For all runs of the batch together: each looks at every hold that is over. */
  #triesForRoom = TRIES_FOR_ROOM;
  readonly #checks: ReturnType<(typeof RUN_CHECKS)[number]>[];
  readonly #work = new CallWork();
  readonly #accepted: Run[] = [];
  /** Announced together: each subscription takes one statement for all of them. */
  readonly #over: object[] = [];
  readonly #sums = new Sums();
  readonly #chargeTexts = new Map<readonly Account[], string>();

  constructor(tx: Tx, route: string) {
    this.#tx = tx;
    this.#rates = RunRates.of(tx, route);
    this.#draft = new Draft(tx.sql, "run", tx.now);
    this.#checks = RUN_CHECKS.map((check) => check(tx));
  }

  /** Writes what the recorded runs took of limits. */
  save(): void {
    this.#draft.save();
    this.#rates?.save();
  }

  record(inputs: readonly RunInput[]): Recorded[] {
    expireHolds(this.#tx);
    const accounts = this.#read(inputs);
    const costs = new Prices(this.#tx.sql).costsOf(inputs);
    this.#hasRoom = inputs.length > 1 && this.#hasRoomFor(inputs, costs);
    const recorded = inputs.map((input, i) => this.#recordOne(input, accounts[i] ?? [], costs[i] ?? 0n));
    if (this.#hasRoom) for (const [touched, attempts] of this.#sums.attempts()) charge(touched, attempts);
    insertRuns(this.#tx.sql, this.#accepted);
    saveDaily(this.#tx.sql, this.#sums);
    this.#tx.emitAll("run.over_limit", this.#over);
    announceRecorded(this.#tx, this.#accepted);
    announceCharges(this.#tx, this.#draft.entries());
    return recorded;
  }

  /** Everything that the batch will need, each table once. */
  #read(inputs: readonly RunInput[]): (readonly Account[])[] {
    const ids: string[] = [];
    const parents: string[] = [];
    const reservations: string[] = [];
    for (const { id, chain, reservation_id } of inputs) {
      if (id !== undefined) ids.push(id);
      if (chain?.parent_run_id !== undefined) parents.push(chain.parent_run_id);
      if (reservation_id !== undefined) reservations.push(reservation_id);
    }
    const sought = new Sought([...ids, ...parents]);
    const { runs, remains } = findRuns(this.#tx.sql, sought);
    for (const [id, run] of runs) this.#known.set(id, run);
    this.#purged = findPurged(this.#tx.sql, ids, remains, this.#tx.now);
    this.#relates = this.#known.size > 0 || parents.length > 0 || sought.mayRepeat();
    for (const [id, hold] of loadHolds(this.#tx.sql, reservations)) this.#holds.set(id, hold);
    for (const id of reservations) {
      // An isolate that is gone may have made it and never said so: what was admitted is a fact all the same.
      if (!this.#holds.has(id) && this.#tx.mayBeUnreported(id)) {
        this.#holds.set(id, unreportedHold(this.#tx.reservationIds(), id, this.#tx.now));
      }
    }
    return this.#draft.load(
      inputs.map((input) => ({
        scopes: scopesOf(input, input.chain?.chain_id),
        atMs: this.#chargedAt(input),
      })),
    );
  }

  /** Facts are charged whether there is room or not, to the moment of their holds: each by itself. */
  #hasRoomFor(inputs: readonly RunInput[], costs: readonly Cost[]): boolean {
    let nanos = 0n;
    let tokens = 0;
    for (const [i, input] of inputs.entries()) {
      if (isFact(input)) return false;
      const cost = costs[i];
      if (typeof cost === "bigint") nanos += cost;
      tokens += input.usage.input_tokens + input.usage.output_tokens;
    }
    return hasRoomForAll(this.#draft.entries(), { nanos, tokens, depth: 0, runs: inputs.length });
  }

  #recordOne(input: RunInput, accounts: readonly Account[], cost: Cost): Recorded {
    const known = this.#relates && input.id !== undefined ? this.#known.get(input.id) : undefined;
    if (known !== undefined) {
      if (saysTheSame(known, input)) return { status: "duplicate", run: known };
      return rejected(input, refuse("conflict", {}, { message: "A different run already has this id." }));
    }
    const purged = this.#purgedOf(input);
    if (purged !== undefined) return purged;
    const prepared = this.#prepare(input, cost);
    if (isRefusal(prepared)) return rejected(input, prepared);
    return prepared.isFact
      ? this.#recordFact(input, prepared, accounts)
      : this.#recordAttempt(input, prepared, accounts);
  }

  #purgedOf(input: RunInput): Recorded | undefined {
    const { id } = input;
    const row = id === undefined ? undefined : this.#purged.get(id);
    if (id === undefined || row === undefined) return undefined;
    const run = purgedRun(row, { ...input, id });
    if (run !== null) return { status: "duplicate", run };
    return rejected(input, refuse("conflict", {}, { message: "A different run already used this id." }));
  }

  #recordAttempt(input: RunInput, prepared: Prepared, accounts: readonly Account[]): Recorded {
    const limited = this.#rates?.refusalOf(input) ?? null;
    if (limited !== null) return rejected(input, limited);
    const effects = this.#work.forRun((work) => this.#check(input, prepared.attempt.nanos, work));
    if (isRefusal(effects)) return rejected(input, effects);
    const { attempt } = prepared;
    if (this.#hasRoom) {
      for (const effect of effects) effect();
      return this.#accept(input, prepared, { accounts, charged: NOTHING_MORE, shadow: [] });
    }
    const { refusedBy, shadow } = this.#admitFreeing(accounts, attempt);
    if (refusedBy !== null) {
      const refusal = toRefusal<(typeof RUN_CODES)[number]>(denialOf(refusedBy, attempt, "run"));
      return { ...rejected(input, refusal), by: { account: refusedBy, attempt } };
    }
    const denials = shadow.map((account) => denialOf(account, attempt, "run"));
    for (const account of shadow) announceRefusal(this.#tx, account as Entry, attempt, "run");
    for (const effect of effects) effect();
    return this.#accept(input, prepared, { accounts, charged: charge(accounts, attempt), shadow: denials });
  }

  /** What to do should the run be accepted, or the first check's refusal. */
  #check(
    input: RunInput,
    nanos: bigint,
    work: RunWork,
  ): (() => void)[] | Refusal<(typeof CHECK_CODES)[number]> {
    const effects: (() => void)[] = [];
    for (const check of this.#checks) {
      const found = check(input, nanos, work);
      if (isRefusal(found)) return found;
      if (found !== null) effects.push(found);
    }
    return effects;
  }

  /** A limit refuses only when what it still counts of holds that are over is not what fills it. */
  #admitFreeing(accounts: readonly Account[], attempt: Attempt): ReturnType<typeof admit> {
    let found = admit(accounts, attempt);
    while (found.refusedBy !== null && this.#triesForRoom > 0) {
      this.#triesForRoom -= 1;
      const ended = expireHoldsOf(this.#tx, this.#draft, found.refusedBy);
      if (ended.length === 0) break;
      for (const hold of ended) {
        if (this.#holds.has(hold.id)) this.#holds.set(hold.id, { ...hold, status: "expired" });
      }
      found = admit(accounts, attempt);
    }
    return found;
  }

  #recordFact(input: RunInput, prepared: Prepared, accounts: readonly Account[]): Recorded {
    if (prepared.hold !== null) this.#settle(prepared.hold);
    const charged = chargeFact(accounts, prepared.attempt);
    const recorded = this.#accept(input, prepared, { accounts, charged, shadow: [] });
    if (charged.over.length > 0) this.#over.push(overEvent(recorded.run, charged.over));
    return recorded;
  }

  #settle(hold: HoldRow): void {
    const settled: HoldRow = { ...hold, status: "settled", ended_at: this.#tx.now };
    if (hold.unreported !== null) insertHold(this.#tx.sql, settled);
    else {
      if (hold.status === "open") letGo(this.#draft, hold);
      endHold(this.#tx.sql, hold.id, "settled", this.#tx.now);
    }
    this.#holds.set(hold.id, settled);
  }

  #accept(
    input: RunInput,
    prepared: Prepared,
    {
      accounts,
      charged,
      shadow,
    }: {
      readonly accounts: readonly Account[];
      readonly charged: Charged;
      readonly shadow: readonly Denial[];
    },
  ): { status: "accepted"; run: Run } {
    const run = runOf(input, {
      id: input.id ?? newId("run", this.#tx.now),
      chargedAt: prepared.chargedAt,
      recordedAt: this.#tx.now,
      depth: prepared.attempt.depth,
      cost: prepared.attempt.nanos,
      charges: this.#chargeText(accounts),
      extra: extraOf(input, charged, shadow),
    });
    this.#accepted.push(run);
    this.#rates?.take(input);
    this.#sums.add(run, accounts);
    if (this.#relates) this.#known.set(run.id, run);
    return { status: "accepted", run };
  }

  /** Runs of one kind touch the same accounts, and share one text of them. */
  #chargeText(accounts: readonly Account[]): string {
    let text = this.#chargeTexts.get(accounts);
    if (text === undefined) {
      const charged = accounts.filter(({ meter }) => isAddedUp(meter.kind));
      text = charged.map(({ meter }) => meter.id).join(" ");
      this.#chargeTexts.set(accounts, text);
    }
    return text;
  }

  /** What must be known of a run before any limit is asked. */
  #prepare(input: RunInput, nanos: Cost): Prepared | Refusal<"validation_failed" | "conflict"> {
    if (isRefusal(nanos)) return nanos;
    const depth = this.#depthOf(input);
    if (isRefusal(depth)) return depth;
    const hold = this.#holdOf(input);
    if (isRefusal(hold)) return hold;
    if (!isFact(input) && input.approval_id !== undefined && !this.#hasApproval(input.approval_id)) {
      return invalidField("approval_id", "unknown", "is not an approval in this organization");
    }
    const tokens = input.usage.input_tokens + input.usage.output_tokens;
    return {
      attempt: { nanos, tokens, depth },
      hold,
      isFact: isFact(input),
      chargedAt: this.#chargedAt(input),
    };
  }

  /** A run falls in the windows of its hold, else in those of now: never in those of a time that it says itself. */
  #chargedAt(input: RunInput): number {
    if (input.reservation_id === undefined) return this.#tx.now;
    return this.#holds.get(input.reservation_id)?.at ?? this.#tx.now;
  }

  #depthOf(input: RunInput): number | Refusal<"validation_failed"> {
    if (input.chain === undefined) return 0;
    const { chain_id, parent_run_id } = input.chain;
    if (parent_run_id === undefined) return 1;
    const parent = this.#known.get(parent_run_id);
    if (parent === undefined || parent.chainId !== chain_id) {
      return invalidField("chain.parent_run_id", "unknown", "is not a run in this chain");
    }
    return parent.depth + 1;
  }

  #hasApproval(id: string): boolean {
    return loadApproval(this.#tx.sql, id) !== null;
  }

  #holdOf(input: RunInput): HoldRow | null | Refusal<"validation_failed" | "conflict"> {
    if (input.reservation_id === undefined) return null;
    const hold = this.#holds.get(input.reservation_id);
    if (hold === undefined) {
      return invalidField("reservation_id", "unknown", "is not a reservation in this organization");
    }
    // What expired was admitted once, and is still settled by its run; what was let go or settled is used up.
    if (hold.status === "open" || hold.status === "expired") return hold;
    return refuse("conflict", {}, { message: `This reservation is already ${hold.status}.` });
  }
}

function isFact({ reservation_id, incurred }: Pick<RunInput, "reservation_id" | "incurred">): boolean {
  return reservation_id !== undefined || incurred === true;
}

interface Prepared {
  readonly attempt: Attempt;
  readonly hold: HoldRow | null;
  readonly isFact: boolean;
  readonly chargedAt: number;
}

function rejected(input: RunInput, refusal: Refusal<Code>): Extract<Recorded, { status: "rejected" }> {
  return { status: "rejected", id: input.id ?? null, refusal, by: null };
}
