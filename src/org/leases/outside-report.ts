import type { LeaseReport } from "../../contract/resources/edge-leases.ts";
import { DECISION } from "../../contract/decision.ts";
import { reservationTime as givenAt, type ReservationIds } from "../../domain/reservation/reservation-id.ts";
import {
  type SignedLimitSet,
  verifyLimitSet,
  type LimitSetHolder,
} from "../../domain/meter/limit-set-token.ts";
import type { StoredHolder } from "../../gate/lease/lease-ledger.ts";
import type { Batch, SliceWish } from "../../gate/lease/protocol.ts";
import {
  amountOf,
  idOf,
  inputTokensOf,
  type HoldLine,
  tokensOf,
  withInput,
} from "../../gate/report/hold-line.ts";
import type { ReportedHolds, LimitSetLine } from "../../gate/report/limit-set-line.ts";
import type { Report } from "../../gate/lease/wire.ts";
import { timedHold } from "./hold-time.ts";
import { callOf } from "./outside-call.ts";
import { toStoredRefusals, type KnowsLimit } from "./outside-refusals.ts";

/** The input and the output of the largest ask. */
const MOST_TOKENS = 2 * DECISION.tokens.most;

type GivenHolds = LeaseReport["batches"][number]["holds"][number];

/** No limits are of this version. */
const NONE = "";

/** The facts that a report from outside is held against, as the object knows them. */
export interface OutsideTerms {
  readonly holder: LimitSetHolder;
  readonly ids: ReservationIds;
  /** The slices of the gate, by the object's own ledger. */
  readonly stored: StoredHolder;
  /** True if it may be given more. */
  readonly mayHaveMore: boolean;
  /** The limits as they are now. */
  readonly version: string;
  /** True if holds from before they changed may still come. */
  readonly takesEarlier: boolean;
  readonly orgNow: number;
  /** How far the org's clock is ahead of the object's. */
  readonly aheadMs: number;
  /** Holds whose ids were given out until then may have come, ended and been deleted. */
  readonly forgottenUntil: number;
  /** Those of these ids whose holds are known already, and not only from their runs. */
  readonly reportedIn: (ids: readonly string[]) => ReadonlySet<string>;
  readonly knowsLimit: KnowsLimit;
}

export interface CheckedReport {
  readonly report: Report;
  /** Holds that were not taken. */
  readonly refused: readonly string[];
}

/**
 * A report of a gate that is not ours. Nothing in it is believed that the object can tell by itself: what a hold is made
 * against is what the object signed, what it took of each slice is counted anew, and a hold that the gate's own slices do not
 * cover is none. Null: a limit set is not what was given to this key.
 */
export function checkReport(given: LeaseReport, terms: OutsideTerms): CheckedReport | null {
  const limitSets: SignedLimitSet[] = [];
  for (const token of given.touches) {
    const limitSet = verifyLimitSet(terms.holder, token);
    if (limitSet === null) return null;
    limitSets.push(limitSet);
  }
  const checking = new ReportCheck(given, limitSets, terms);
  const { stored, version } = terms;
  const current = new Set(limitSets.filter((limitSet) => limitSet.version === version).flatMap(limitsOf));
  const wants = new Map<string, SliceWish>();
  // Until the answer is there, the gate holds from what it has, whatever has changed meanwhile.
  const keeps = new Map<string, bigint>();
  for (const { key, left, want, least } of given.wants) {
    if (!terms.mayHaveMore || !current.has(key)) keeps.set(key, BigInt(left));
    else wants.set(key, { left: BigInt(left), want: BigInt(want), least: BigInt(least) });
  }
  const { attempt, renews } = given;
  // A gate that may have no more keeps what it has until it ends, as one that knows other limits does.
  const mark = terms.mayHaveMore ? version : NONE;
  const renewed = renews === undefined ? {} : { renews, mark };
  const ask = { holder: stored.holder, attempt, batches: checking.batches(), wants, keeps, ...renewed };
  const watch = given.watch.filter((key) => current.has(key));
  const { orgNow, knowsLimit } = terms;
  const { keyId } = terms.holder;
  const refusals =
    given.refusals === undefined ? null : toStoredRefusals(given.refusals, { keyId, orgNow, knowsLimit });
  return {
    report: {
      ask,
      touches: limitSets.map((limitSet) => reported(limitSet, keyId)),
      watch,
      lagMs: null,
      heard: null,
      refusals,
    },
    refused: checking.refused,
  };
}

function limitsOf({ keys, requests, tokens, dollars }: SignedLimitSet): string[] {
  return [...keys, ...requests, ...tokens, ...dollars];
}

function reported({ keys, meters, customer, byBody }: SignedLimitSet, keyId: string): LimitSetLine {
  return { keys, meters, customer, keyId, rates: byBody };
}

class ReportCheck {
  readonly refused: string[] = [];
  readonly #given: LeaseReport;
  readonly #limitSets: readonly SignedLimitSet[];
  readonly #terms: OutsideTerms;
  readonly #left: Map<string, bigint>;
  readonly #givenAt: ReadonlyMap<string, number>;
  readonly #seen = new Set<string>();

  constructor(given: LeaseReport, limitSets: readonly SignedLimitSet[], terms: OutsideTerms) {
    this.#given = given;
    this.#limitSets = limitSets;
    this.#terms = terms;
    const { stored, aheadMs } = terms;
    this.#left = new Map(stored.slices.map(([key, { left }]) => [key, left]));
    this.#givenAt = new Map(stored.slices.map(([key, { since = 0 }]) => [key, since + aheadMs]));
  }

  /** A batch that was taken before says nothing new, and the ledger passes over it. */
  batches(): Batch<ReportedHolds>[] {
    const fresh = this.#given.batches.filter(({ number }) => number > this.#terms.stored.batch);
    const ids = fresh.flatMap(({ holds }) => holds.flatMap(({ lines }) => lines.map(idOf)));
    const known = this.#terms.reportedIn(ids);
    return fresh.map(({ number, holds }) => {
      const used = new Map<string, bigint>();
      const taken = holds.flatMap((group): ReportedHolds[] => {
        const { touch: index, call: given } = group;
        const limitSet = this.#limitSets[index];
        const good = linesOf(group).flatMap((line) => this.#taken(line, limitSet, known, used));
        if (limitSet === undefined || good.length === 0) return [];
        return [[index, [], good, null, callOf(given, limitSet, this.#terms.holder.keyId)]];
      });
      return { number, holds: taken, used };
    });
  }

  #taken(
    line: HoldLine,
    limitSet: SignedLimitSet | undefined,
    known: ReadonlySet<string>,
    used: Map<string, bigint>,
  ): HoldLine[] {
    const id = idOf(line);
    const { orgNow, version, takesEarlier } = this.#terms;
    const isNew = !this.#seen.has(id) && !known.has(id) && this.#wasGiven(id);
    this.#seen.add(id);
    const isTimely = takesEarlier || limitSet?.version === version;
    const taken = limitSet === undefined || !isNew || !isTimely ? null : takenBy(limitSet, line);
    const timed =
      taken !== null && this.#covers(taken)
        ? timedHold(line, { orgNow, slicesSince: this.#since(taken) })
        : null;
    if (taken === null || timed === null) {
      this.refused.push(id);
      return [];
    }
    for (const [key, amount] of taken) {
      this.#left.set(key, (this.#left.get(key) ?? 0n) - amount);
      used.set(key, (used.get(key) ?? 0n) + amount);
    }
    return [timed];
  }

  #wasGiven(id: string): boolean {
    const { ids, orgNow, forgottenUntil } = this.#terms;
    const origin = ids.originOf(id, orgNow);
    return (origin === "gate" || origin === "time") && givenAt(id) > forgottenUntil;
  }

  #covers(taken: TakenAmounts): boolean {
    return taken.every(([key, amount]) => (this.#left.get(key) ?? 0n) >= amount);
  }

  /** When the last of these slices was first given, by the org's clock. */
  #since(taken: TakenAmounts): number {
    return taken.reduce((latest, [key]) => Math.max(latest, this.#givenAt.get(key) ?? 0), 0);
  }
}

/** With the input tokens of each hold, where the report says what its call is. */
function linesOf({ lines, call, inputs = [] }: GivenHolds): readonly HoldLine[] {
  if (call === undefined) return lines;
  return lines.map((line, at) => withInput(line, inputs[at] ?? 0));
}

/** The amounts that a hold takes of each limit. */
type TakenAmounts = readonly (readonly [key: string, amount: bigint])[];

/** Null: no call counts so many tokens, or has more input than that. */
function takenBy(limitSet: SignedLimitSet, line: HoldLine): TakenAmounts | null {
  const counted = tokensOf(line);
  if (counted > MOST_TOKENS || inputTokensOf(line) > counted) return null;
  const tokens = BigInt(counted);
  const nanos = BigInt(amountOf(line));
  const { ofTokens, ofRuns } = limitSet;
  const taken: [key: string, amount: bigint][] = [];
  for (const key of limitSet.keys) {
    const perRun = ofRuns.includes(key) ? 1n : nanos;
    taken.push([key, ofTokens.includes(key) ? tokens : perRun]);
  }
  for (const key of limitSet.requests) taken.push([key, 1n]);
  for (const key of limitSet.tokens) taken.push([key, tokens]);
  for (const key of limitSet.dollars) taken.push([key, nanos]);
  return taken;
}
