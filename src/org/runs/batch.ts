import { invalidField, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { Draw } from "../../domain/meter/credit.ts";
import type { KeyProbe } from "../../storage/key-index/probe.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import { SettledRequests } from "../../domain/reservation/settled-requests.ts";
import { selectSettledAccounts } from "../../domain/meter/settlement.ts";
import { isNamedAlike, type Scopes, scopesOf } from "../../domain/meter/limit-set.ts";
import { loadApproval } from "../approvals/store.ts";
import { chainDepth } from "../checks/depth.ts";
import { takeBack } from "../decisions/charge.ts";
import { phaseOf } from "../decisions/hold-extras.ts";
import { isFinal } from "../decisions/hold-request.ts";
import {
  type HoldRow,
  insertHold,
  giveBackHold,
  loadHolds,
  saveHolds,
  standingOf,
} from "../decisions/store.ts";
import { unreportedHold } from "../decisions/unreported-hold.ts";
import type { Unreadable } from "../../storage/needs-fetch.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { Tx } from "../kernel/door.ts";
import type { ChargeRequest, UnitOfWork } from "../ledger/unit-of-work.ts";
import { runSegments } from "./segments/segments.ts";
import type { Cost } from "./prices.ts";
import { findPurged, purgedRun } from "./purged-runs.ts";
import type { Run } from "./run.ts";
import { hasSameContent } from "./duplicate-check.ts";
import { findRuns } from "./store.ts";

/** A run that is ready to be checked against the limits. */
export interface PreparedRun {
  readonly attempt: Attempt;
  /** The revision of the model's price. Null if the caller stated the cost. */
  readonly revision: number | null;
  /** The cost that the base rates would have added. */
  readonly saved: bigint;
  readonly hold: HoldRow | null;
  readonly isFact: boolean;
  readonly chargedAt: number;
}

/** The accounts that the run of a hold was charged to. */
interface ChargedAccounts {
  readonly standing: readonly Account[];
  readonly phase: Phase;
  readonly accounts: readonly Account[];
}

/** The records that the runs of a batch refer to: stored runs, parents and reservations. */
export class Batch {
  readonly #tx: Tx;
  readonly #work: UnitOfWork;
  /** Runs that others of the batch may duplicate or follow. */
  readonly #known = new Map<string, Run>();
  /** Runs that retention has deleted. */
  #purged: ReturnType<typeof findPurged> = new Map();
  /** Archived runs that cannot be read, so that no run can be compared with them or follow them. */
  #unreadable: ReadonlyMap<string, Unreadable> = new Map();
  /** True if any can. If not, no run needs to be remembered by its id, which is slow for a thousand new texts. */
  #relates = false;
  /** The ids of the batch, and of their parents. */
  #sought: KeyProbe | null = null;
  #holds = new Map<string, HoldRow>();
  /** The requests of which a hold is settled, by fingerprint, whichever half day its id is of. */
  #settled = new SettledRequests();

  /**
   * Returns the accounts that a run was charged to, by the names in its own fields. Each list of accounts is of times
   * between which no limit of it begins to count, so the time of the hold makes no difference.
   */
  readonly #charged = new Map<readonly Account[], ChargedAccounts>();

  constructor(tx: Tx, work: UnitOfWork) {
    this.#tx = tx;
    this.#work = work;
  }

  /** Loads everything that the batch needs, each table once. */
  read(inputs: readonly RunInput[]): (readonly Account[])[] {
    const ids: string[] = [];
    const parents: string[] = [];
    const reservations: string[] = [];
    for (const { id, chain, reservation_id } of inputs) {
      if (id !== undefined) ids.push(id);
      if (chain?.parent_run_id !== undefined) parents.push(chain.parent_run_id);
      if (reservation_id !== undefined) reservations.push(reservation_id);
    }
    const sought = runSegments(this.#tx.sql).probe(parents.length === 0 ? ids : [...ids, ...parents]);
    this.#sought = sought;
    const { runs, tombstones, unreadable } = findRuns(this.#tx.sql, sought);
    this.#unreadable = unreadable;
    // Alone, a run that may succeed later is not refused for good under its idempotency key.
    if (inputs.length === 1) for (const cause of unreadable.values()) throw cause;
    for (const [id, run] of runs) this.#known.set(id, run);
    this.#purged = findPurged(ids, tombstones, this.#tx.now);
    this.#relates = this.#known.size > 0 || parents.length > 0 || sought.mayRepeat();
    const { holds, settled, charged } = loadHolds(this.#tx.sql, reservations);
    this.#holds = holds;
    this.#settled = settled;
    for (const id of reservations) {
      // The run takes the place of what was charged for its fingerprint, whichever half day that id is of.
      const paid = charged.size === 0 ? undefined : charged.get(fingerprintPart(id));
      if (paid !== undefined) this.#holds.set(id, paid);
      // An isolate that is gone may have made it and never reported it. Calls that it admitted are still facts.
      if (!this.#holds.has(id) && this.#tx.mayBeUnreported(id)) {
        this.#holds.set(id, unreportedHold(this.#tx.reservationIds(), id, this.#tx.now));
      }
    }
    return this.#work.load(this.#asksOf(inputs));
  }

  /** With the same scopes for all runs that say the same of themselves, as many of a batch do. */
  #asksOf(inputs: readonly RunInput[]): ChargeRequest[] {
    const latest = new Map<string | undefined, { readonly input: RunInput; readonly scopes: Scopes }>();
    return inputs.map((input) => {
      const hold = input.reservation_id === undefined ? undefined : this.#holds.get(input.reservation_id);
      const atMs = hold?.at ?? this.#tx.now;
      if (input.chain !== undefined) return { scopes: this.#scopesOf(input, hold), atMs };
      const customer = customerOf(input, hold);
      const there = latest.get(customer);
      if (there !== undefined && isNamedAlike(there.input, input)) return { scopes: there.scopes, atMs };
      const scopes = this.#scopesOf(input, hold);
      latest.set(customer, { input, scopes });
      return { scopes, atMs };
    });
  }

  /**
   * The run that was already recorded under this id, or a refusal if that is a different run. Null if there is none.
   */
  recorded(input: RunInput): Run | Refusal<"conflict" | "service_unavailable"> | null {
    const { id } = input;
    const cause = this.#unreadable.size === 0 ? undefined : this.#causeFor(input);
    if (cause !== undefined) return refuse("service_unavailable", {}, { message: cause.message });
    if (id === undefined) return null;
    const known = this.#relates ? this.#known.get(id) : undefined;
    if (known !== undefined)
      return hasSameContent(known, input) ? known : taken("A different run already has this id.");
    const row = this.#purged.size === 0 ? undefined : this.#purged.get(id);
    if (row === undefined) return null;
    return purgedRun(row, { ...input, id }) ?? taken("A different run already used this id.");
  }

  /** Returns the failure that keeps the run of this id, or its parent, from being read. */
  #causeFor({ id, chain }: RunInput): Unreadable | undefined {
    return this.#unreadable.get(id ?? "") ?? this.#unreadable.get(chain?.parent_run_id ?? "");
  }

  get sought(): KeyProbe | null {
    return this.#sought;
  }

  remember(run: Run): void {
    if (this.#relates) this.#known.set(run.id, run);
  }

  /**
   * Ends a hold. Returns the credits that were reserved for its run. `countedOf` returns what the run counts under rate
   * limits if the hold was not reported yet.
   */
  settle(hold: HoldRow, input: RunInput, countedOf: () => Partial<HoldRow> | undefined): readonly Draw[] {
    let reserved: readonly Draw[] = [];
    const settled: HoldRow = { ...hold, status: "settled", ended_at: this.#tx.now };
    if (hold.unreported !== null) {
      insertHold(this.#tx.sql, { ...settled, ...countedOf(), customer_id: input.customer_id ?? null });
    } else {
      reserved = hold.status === "open" ? giveBackHold(this.#work, hold) : takeBack(this.#work, hold);
      saveHolds(this.#tx.sql, [settled]);
    }
    this.#holds.set(hold.id, settled);
    this.#settled.add(hold.id);
    return reserved;
  }

  /**
   * Returns the accounts that the run of a hold is charged to. `own` is what its own fields touch. The same list for
   * the same accounts.
   */
  chargedWith(hold: HoldRow, own: readonly Account[]): readonly Account[] {
    const phase = phaseOf(hold);
    const standing = standingOf(this.#work, hold);
    const there = this.#charged.get(own);
    if (there?.standing === standing && there.phase === phase) return there.accounts;
    const accounts = selectSettledAccounts(own, { atMs: hold.at, phase, standing });
    this.#charged.set(own, { standing, phase, accounts });
    return accounts;
  }

  /** Holds that were ended to make room. */
  expired(holds: readonly HoldRow[]): void {
    for (const hold of holds) {
      if (this.#holds.has(hold.id)) this.#holds.set(hold.id, hold);
    }
  }

  /** The facts that must be known of a run before any limit is checked. */
  prepare(input: RunInput, cost: Cost): PreparedRun | Refusal<"validation_failed" | "conflict"> {
    if (isRefusal(cost)) return cost;
    const { nanos, revision, saved } = cost;
    const depth = chainDepth(input.chain, (id) => this.#known.get(id));
    if (isRefusal(depth)) return depth;
    const hold = this.#holdOf(input);
    if (isRefusal(hold)) return hold;
    if (!isFact(input) && input.approval_id !== undefined && !this.#hasApproval(input.approval_id)) {
      return invalidField("approval_id", "unknown", "is not an approval in this organization");
    }
    const tokens = input.usage.input_tokens + input.usage.output_tokens;
    return {
      attempt: { nanos, tokens, depth },
      revision,
      saved,
      hold,
      isFact: isFact(input),
      chargedAt: this.#chargedAt(input),
    };
  }

  /** A run falls in the windows of its hold, otherwise in the current ones. Its own timestamps never matter. */
  #chargedAt(input: RunInput): number {
    if (input.reservation_id === undefined) return this.#tx.now;
    return this.#holds.get(input.reservation_id)?.at ?? this.#tx.now;
  }

  #scopesOf(input: RunInput, hold: HoldRow | undefined): Scopes {
    const scopes = scopesOf(input, { keyId: keyOf(this.#tx), chain: input.chain?.chain_id });
    return { ...scopes, customer: customerOf(input, hold) };
  }

  #hasApproval(id: string): boolean {
    return loadApproval(this.#tx.sql, id) !== null;
  }

  #holdOf(input: RunInput): HoldRow | null | Refusal<"validation_failed" | "conflict"> {
    if (input.reservation_id === undefined) return null;
    const hold = this.#holds.get(input.reservation_id);
    if (hold === undefined || isFinal(hold, this.#tx.now)) {
      return invalidField("reservation_id", "unknown", "is not a reservation in this organization");
    }
    // An expired hold was admitted, so its run still settles it. A released or settled hold is used up.
    if (hold.status !== "open" && hold.status !== "expired") {
      return refuse("conflict", {}, { message: `This reservation is already ${hold.status}.` });
    }
    if (!this.#settled.has(hold.id)) return hold;
    return refuse("conflict", {}, { message: "Another reservation of the same request is already settled." });
  }
}

/** If a run names no customer, the customer of its hold counts. */
function customerOf(input: RunInput, hold: HoldRow | undefined): string | undefined {
  return input.customer_id ?? hold?.customer_id ?? undefined;
}

export function isFact({ reservation_id, incurred }: Pick<RunInput, "reservation_id" | "incurred">): boolean {
  return reservation_id !== undefined || incurred === true;
}

function taken(message: string): Refusal<"conflict"> {
  return refuse("conflict", {}, { message });
}
