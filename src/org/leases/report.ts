import type { Tx } from "../kernel/door.ts";
import { expireNoLaterThan } from "../decisions/expire.ts";
import { forgottenUntil } from "../decisions/forgotten.ts";
import {
  deleteHold,
  hasUnreported,
  type HoldRow,
  type KnownHolds,
  loadHolds,
  prolongHold,
  saveHolds,
} from "../decisions/store.ts";
import { type HoldCounter, writeHoldExtras } from "../decisions/hold-extras.ts";
import { writeHoldRequest } from "../decisions/hold-request.ts";
import { PLAIN_HOLD } from "../decisions/table.ts";
import type { LeasedAccounts } from "./money.ts";
import {
  amountOf,
  withEnd,
  endsAt,
  idOf,
  inputTokensOf,
  holdTime,
  withMadeAt,
  type HoldLine,
  timeText,
  tokensOf,
  withId,
} from "../../gate/report/hold-line.ts";
import { fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import type { SettledRequests } from "../../domain/reservation/settled-requests.ts";
import type { CallLine } from "../../gate/report/call-line.ts";
import type { ReportedHolds, LimitSetLine } from "../../gate/report/limit-set-line.ts";
import { rateAmount } from "../../domain/rate/policy.ts";
import { readCountedAmount, writeHoldRatesOfKeys } from "../decisions/hold-rates.ts";

/** The amounts that the object has no hold for, by limit: they are returned instead of held. */
export type DroppedHolds = ReadonlyMap<string, bigint>;

/** Holds that are reported for the first time. */
export interface FreshHolds {
  readonly holds: readonly ReportedHolds[];
  readonly touches: readonly LimitSetLine[];
  /** By how much they may have been made later than they say. Null if unknown. */
  readonly lagMs: number | null;
  /** When the limit of a lease key counts what is reported now. */
  readonly countedAt: (leaseKey: string) => number;
}

/**
 * Stores reported holds, in one statement for each limit set. A request that was decided twice, in two isolates, has one
 * id in both: its hold is stored once, until the later end. If its amount differs, both were allowed and both are held.
 * A hold that has expired when it is reported is stored like any other, for its run, and expires.
 */
export function keepHolds(tx: Tx, fresh: FreshHolds, accounts: LeasedAccounts): DroppedHolds {
  const keeping = new HoldReport(tx, accounts, fresh);
  for (const [index, named, unnamed, , call = null] of fresh.holds) {
    const limitSet = fresh.touches[index];
    if (limitSet !== undefined) keeping.keep({ limitSet, call }, named, unnamed);
  }
  return keeping.dropped;
}

/** The facts that holds of one report have in common. */
interface ReportGroup {
  readonly limitSet: LimitSetLine;
  /** The names in their runs. Null if they are not known, and the holds are given back. */
  readonly call: CallLine | null;
}

/** The facts about the current or former hold with an id. */
type HoldFacts = Omit<HoldRow, "id" | "at" | "verdict">;

class HoldReport {
  readonly dropped = new Map<string, bigint>();
  readonly #tx: Tx;
  readonly #accounts: LeasedAccounts;
  readonly #known: Map<string, HoldFacts>;
  readonly #settled: SettledRequests;
  readonly #charged: KnownHolds["charged"];
  readonly #lagMs: number;
  readonly #forgottenUntil: string;
  readonly #countedAt: FreshHolds["countedAt"];

  constructor(tx: Tx, accounts: LeasedAccounts, { holds, lagMs, countedAt }: FreshHolds) {
    this.#tx = tx;
    this.#accounts = accounts;
    this.#countedAt = countedAt;
    this.#lagMs = lagMs ?? Number.POSITIVE_INFINITY;
    this.#forgottenUntil = timeText(forgottenUntil(tx.sql));
    // A hold with a unique id can be known only if a run came before this report.
    const unnamedToo = hasUnreported(tx.sql);
    const lines = holds.flatMap(([, named, unnamed]) => (unnamedToo ? [...named, ...unnamed] : named));
    const { holds: known, settled, charged } = loadHolds(tx.sql, lines.map(idOf));
    this.#known = known;
    this.#settled = settled;
    this.#charged = charged;
  }

  keep(group: ReportGroup, named: readonly HoldLine[], unnamed: readonly HoldLine[]): void {
    const { limitSet } = group;
    const fresh: HoldLine[] = [];
    const apart: HoldLine[] = [];
    for (const hold of named) this.#keepNamed(hold, group, fresh, apart);
    for (const hold of unnamed) {
      const before = this.#known.get(idOf(hold));
      if (before !== undefined) this.#dropKnown(hold, limitSet, before);
      else if (this.#mayBeForgotten(hold)) this.#drop(hold, limitSet.keys);
      else fresh.push(hold);
    }
    this.#insert(this.#placed(fresh, limitSet.keys), group);
    // Nobody knows their ids, so no run could take the place of one that they became.
    this.#insert(this.#placed(apart, limitSet.keys), { limitSet, call: null });
  }

  #keepNamed(hold: HoldLine, group: ReportGroup, fresh: HoldLine[], apart: HoldLine[]): void {
    const { keys, meters, customer } = group.limitSet;
    const id = idOf(hold);
    const amount = amountOf(hold);
    const before = this.#known.get(id);
    if (before === undefined && (this.#isPaid(id) || this.#mayBeForgotten(hold))) {
      this.#drop(hold, keys);
      return;
    }
    const fate = before === undefined ? "anew" : this.#fateOf(hold, before);
    if (before === undefined || fate === "anew") {
      if (before !== undefined) deleteHold(this.#tx.sql, id);
      fresh.push(hold);
      this.#known.set(id, { ...PLAIN_HOLD, expires_at: 0, amount, meters, customer_id: customer });
    } else if (fate === "over") this.#dropKnown(hold, group.limitSet, before);
    else if (
      fate === "apart" ||
      before.amount !== amount ||
      before.meters !== meters ||
      !isOf(customer, before)
    ) {
      apart.push(withId(hold, this.#tx.reservationIds().newId(Number(holdTime(hold)))));
    } else {
      this.#prolong(hold, group.call, fresh);
      this.#drop(hold, keys);
    }
  }

  /** Returns whether a hold of its fingerprint is settled, or was charged when it expired. */
  #isPaid(id: string): boolean {
    return this.#settled.has(id) || (this.#charged.size > 0 && this.#charged.has(fingerprintPart(id)));
  }

  /** A run may have settled it before this report, or another isolate reported it, so long ago that its end is not stored. */
  #mayBeForgotten(hold: HoldLine): boolean {
    return holdTime(hold) <= this.#forgottenUntil;
  }

  /**
   * Treats a hold whose id is known. Nothing revives one that has ended: if it was made before that end, it ended with
   * it. If it was made after it, the request was decided again. If the clocks cannot tell, or it outlives one that has
   * expired, the amount is held until it ends, separately from the id.
   */
  #fateOf(hold: HoldLine, before: HoldFacts): "same" | "over" | "anew" | "apart" {
    if (before.status === "open") return "same";
    if (before.status === "settled" || this.#isPaid(idOf(hold))) return "over";
    const isReleased = before.status === "released";
    const end = isReleased ? (before.ended_at ?? 0) : before.expires_at;
    const at = Number(holdTime(hold));
    if (at >= end) return "anew";
    if (Number(endsAt(hold)) <= this.#tx.now) return "over";
    return isReleased && at + this.#lagMs < end ? "over" : "apart";
  }

  /** A hold that is already stored, or about to be. */
  #prolong(hold: HoldLine, call: CallLine | null, fresh: HoldLine[]): void {
    const id = idOf(hold);
    const end = endsAt(hold);
    const index = fresh.findIndex((one) => idOf(one) === id);
    const waiting = fresh[index];
    if (waiting === undefined) prolongHold(this.#tx.sql, id, Number(end), askedOf(hold, call));
    else if (endsAt(waiting) < end) fresh[index] = withEnd(waiting, end);
  }

  /** Holds count from when their limits started to count, and in the windows that they were held in. */
  #placed(holds: readonly HoldLine[], keys: readonly string[]): readonly HoldLine[] {
    const since = timeText(this.#accounts.heldSince(keys));
    const astray = this.#accounts.astray(keys);
    const until = timeText(this.#accounts.heldUntil(keys));
    const placed = holds.map((hold) => {
      if (holdTime(hold) < since) return withMadeAt(hold, since);
      return holdTime(hold) > until ? withMadeAt(hold, until) : hold;
    });
    for (const hold of astray.length === 0 ? [] : placed) {
      for (const key of astray) {
        this.#accounts.holdAstray(key, { atMs: Number(holdTime(hold)), amount: this.#amountIn(key, hold) });
      }
      this.#drop(hold, astray);
    }
    return placed;
  }

  #amountIn(key: string, hold: HoldLine): bigint {
    return this.#accounts.amountIn(key, { nanos: BigInt(amountOf(hold)), tokens: tokensOf(hold) });
  }

  #drop(hold: HoldLine, keys: readonly string[]): void {
    for (const key of keys) this.#add(key, this.#amountIn(key, hold));
  }

  /**
   * A run that settled it before this report was counted in full. So rate limits count the larger of the two, and those
   * by dollars what the run cost.
   */
  #dropKnown(hold: HoldLine, { keys, rates }: LimitSetLine, before: HoldFacts): void {
    this.#drop(hold, keys);
    if (before.unreported === null) return;
    for (const key of rates) {
      const meter = this.#tx.rates().find(key);
      if (meter === null) continue;
      const byRun = readCountedAmount(meter, before);
      const byDecision = rateAmount(meter.policy, {
        nanos: Number(amountOf(hold)),
        tokens: tokensOf(hold),
      });
      const isUsd = meter.policy.unit === "usd";
      this.#add(
        key,
        BigInt(isUsd ? byDecision + byRun - Number(before.amount) : Math.min(byRun, byDecision)),
      );
    }
  }

  #add(key: string, amount: bigint): void {
    this.dropped.set(key, (this.dropped.get(key) ?? 0n) + amount);
  }

  #insert(holds: readonly HoldLine[], { limitSet, call }: ReportGroup): void {
    const { keys, meters, customer, rates, isWhole = false, keyId } = limitSet;
    const [hold] = holds;
    if (hold === undefined) return;
    let first = endsAt(hold);
    for (const other of holds) if (endsAt(other) < first) first = endsAt(other);
    expireNoLaterThan(this.#tx, Number(first));
    const accounts = this.#accounts.standing(keys);
    const shared = { meters, customer_id: customer, rates: this.#ratesOf(rates), key_id: keyId };
    saveHolds(
      this.#tx.sql,
      holds.map((one) => ({ ...toHold(one, isWhole, accounts), ...shared, asked: askedOf(one, call) })),
    );
  }

  #ratesOf(keys: readonly string[]): string {
    return writeHoldRatesOfKeys(keys, (key) =>
      this.#tx.rates().find(key)?.policy.unit === "usd" ? this.#countedAt(key) : null,
    );
  }
}

function toHold(hold: HoldLine, isWhole: boolean, accounts: readonly HoldCounter[]) {
  const tokens = tokensOf(hold);
  return {
    ...PLAIN_HOLD,
    id: idOf(hold),
    at: Number(holdTime(hold)),
    expires_at: Number(endsAt(hold)),
    amount: amountOf(hold),
    tokens,
    beside: writeHoldExtras({
      phase: isWhole ? "run" : "decision",
      tokens,
      chain: null,
      packs: [],
      accounts,
    }),
  };
}

/** Returns what is kept of the call of a hold, as if the object had decided it. Null if nothing is known of it. */
function askedOf(hold: HoldLine, call: CallLine | null): string | null {
  if (call === null) return null;
  const { keyId, on_expiry: expiry, chain_id: chainId, ...said } = call;
  const input = inputTokensOf(hold);
  const estimate = { input_tokens: input, max_output_tokens: tokensOf(hold) - input };
  return writeHoldRequest(
    { ...said, estimate },
    { isCharged: expiry !== "release", keyId, depth: 0, chainId },
  );
}

function isOf(customer: string | null, { customer_id: known }: HoldFacts): boolean {
  return customer === null || customer === known;
}
