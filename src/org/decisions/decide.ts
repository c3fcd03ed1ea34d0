import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Verdict } from "../../contract/resources/decisions/decisions.ts";
import { tallyUnpriced } from "../ledger/tally.ts";
import { holdAll } from "../../domain/meter/admission.ts";
import type { Draw } from "../../domain/meter/credit.ts";
import { availableOf, type Denial, denialOf } from "../../domain/refusal/limit-denials.ts";
import { type Account, unitOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { hasSameFingerprint } from "../../domain/reservation/reservation-id.ts";
import { TimeText } from "../../domain/time/time-text.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { keyOf } from "../kernel/actor-key.ts";
import { command, type Done, done, type Tx } from "../kernel/door.ts";
import { announceLoneRefusal, announceRefusal } from "../ledger/announce.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { CHECK_CODES, RUN_CODES } from "../../contract/limit-codes.ts";
import { toRefusal } from "../../domain/refusal/limit-refusal.ts";
import { loadApproval } from "../approvals/store.ts";
import type { MeterAccount } from "../meters/usage.ts";
import { type CheckedRequest, checkRequest } from "./checked-request.ts";
import { admitFreeing } from "./admit.ts";
import { expireHold, expireHolds, expireNoLaterThan } from "./expire.ts";
import {
  DEFAULT_HOLD_SECONDS,
  type DecisionAsk,
  mostOutput,
  allowedOutput,
} from "../../gate/decision/ask.ts";
import { requestIdReused, fingerprintOf } from "../../gate/decision/request-fingerprint.ts";
import type { HoldRates } from "./hold-rates.ts";
import { costsOf, estimateOf } from "./estimate.ts";
import { type FittedAsk, fitAskFreeingRoom } from "./fit.ts";
import { writeHoldExtras } from "./hold-extras.ts";
import { holdRequestOf } from "./hold-request.ts";
import { deleteHold, insertHold, loadRequest } from "./store.ts";
import { type HoldRow, PLAIN_HOLD } from "./table.ts";

/** A decision, and whether it created a new hold. */
export interface DecidedAsk {
  readonly result: Done<Verdict> | Refusal<DecideCode>;
  readonly taken: boolean;
  /** The id of the new reservation, if it derives from a request id. */
  readonly named: string | null;
  /** The ask with as many output tokens as it was given. */
  readonly ask: DecisionAsk;
}

/** The terms that rate limits set for an ask. */
export interface RateTerms {
  /** Returns what they count of a decision from its body, if it is allowed. */
  readonly countedOf: (ask: DecisionAsk) => HoldRates;
  /** How many tokens they have room for. Null if none counts tokens. */
  readonly tokenRoom: number | null;
  /** The same in nano-dollars. */
  readonly nanosRoom: number | null;
}

const NO_RATES: RateTerms = { countedOf: () => ({ rates: "", tokens: 0 }), tokenRoom: null, nanosRoom: null };

type DecideCode = (typeof CODES)[number];

const CODES = [...CHECK_CODES, ...RUN_CODES, "validation_failed", "conflict"] as const;

/** The exact decision, in one step: reserved in every limit that applies, or in none. */
export const decide = command({
  action: null,
  usesWal: true,
  refuses: CODES,
  models: modelsOf,
  run: (tx, ask: DecisionAsk) => decideOnce(tx, ask, NO_RATES).result,
});

/** The model of an ask that does not state its cost. */
export function modelsOf({ model, provider, estimate }: DecisionAsk): readonly ModelName[] {
  return model === undefined || estimate.cost_usd !== undefined ? [] : [{ model, provider }];
}

/**
 * A request that was already decided, here or in an isolate that has reported it, gets the same answer and reserves
 * nothing more.
 */
export function decideOnce(tx: Tx, ask: DecisionAsk, rates: RateTerms): DecidedAsk {
  if (ask.request_id === undefined || ask.dry_run === true) {
    const id = tx.reservationIds().newId(tx.now);
    const made = decideAnew(tx, ask, { id, isStored: false, rates });
    return { ...made, taken: !isRefusal(made.result) && ask.dry_run !== true, named: null };
  }
  // The same fingerprint has the same name wherever it is decided: isolates derive it alike.
  const id = tx.reservationIds().idOf(ask.request_id, fingerprintOf(ask), tx.now);
  const stored = loadRequest(tx.sql, id);
  const repeated = repeatedVerdict(tx, ask, id, stored);
  if (repeated !== null) return { result: repeated, taken: false, named: null, ask };
  const isStored = stored.some((row) => row.id === id);
  const made = decideAnew(tx, ask, { id, isStored, rates });
  const taken = !isRefusal(made.result);
  return { ...made, taken, named: taken ? id : null };
}

interface NewDecision {
  /** The id of its hold. */
  readonly id: string;
  /** True if a hold of that id is stored, which is over. */
  readonly isStored: boolean;
  readonly rates: RateTerms;
}

type Result = DecidedAsk["result"];

function decideAnew(
  tx: Tx,
  ask: DecisionAsk,
  { id, isStored, rates }: NewDecision,
): Pick<DecidedAsk, "result" | "ask"> {
  const costOf = costsOf(tx, ask);
  if (isRefusal(costOf)) {
    tx.afterRefusal(() => tallyUnpriced(tx, [costOf]));
    return { result: costOf, ask };
  }
  // Rules are told what is asked for, so that the same call finds the same rules and approvals however much fits.
  const checked = checkRequest(tx, ask, costOf(mostOutput(ask)));
  if (isRefusal(checked)) return { result: checked, ask };
  expireHolds(tx);
  if (isStored) expireHold(tx, id);
  const findings = checked.judge();
  const found = findings.find(({ refusal }) => refusal !== null);
  if (found?.refusal && ask.dry_run !== true) {
    tx.afterRefusal(found.effect);
    found.tell?.();
    return { result: found.refusal, ask };
  }
  const { scopes, phase } = checked;
  const work = new UnitOfWork(tx.sql, phase, tx.now);
  const accounts = work.accounts({ scopes, atMs: tx.now });
  const { tokenRoom, nanosRoom } = rates;
  const fit = { attempt: checked.attempt, costOf, accounts, tokenRoom, nanosRoom };
  const fitted = fitAskFreeingRoom(tx, work, ask, fit);
  const { attempt } = fitted;
  const { refusedBy, shadow } = admitFreeing(tx, work, accounts, attempt);
  const shadowed = shadow.map((account) => denialOf(account, attempt, "decision"));
  if (ask.dry_run === true) {
    const byLimit = refusedBy === null ? null : denialOf(refusedBy, attempt, "decision");
    const wouldDeny = found?.refusal ? denialBy(tx, found.refusal) : byLimit;
    const result = dryRun(tx, accounts, { wouldDeny, shadowed, fitting: outputOf(fitted.ask) });
    return { result, ask };
  }
  if (refusedBy !== null) {
    tx.afterRefusal(() => announceLoneRefusal(tx, refusedBy, attempt, "decision"));
    return { result: toRefusal(denialOf(refusedBy, attempt, "decision"), attempt.nanos), ask };
  }
  for (const { effect } of findings) effect();
  for (const account of shadow) announceRefusal(tx, account as MeterAccount, attempt, "decision");
  if (isStored) deleteHold(tx.sql, id);
  const result = take(tx, fitted, { id, rates, checked, work, accounts, shadowed });
  return { result, ask: fitted.ask };
}

function dryRun(
  tx: Tx,
  accounts: readonly Account[],
  said: Omit<VerdictParts, "decisionId" | "reservation">,
) {
  const decisionId = newId("dec", tx.now);
  return done(200, verdictOf(tx.now, accounts, { decisionId, reservation: null, ...said }));
}

/** An admitted ask, with everything that is needed to reserve it. */
interface Admission extends Pick<NewHold, "id" | "accounts" | "shadowed"> {
  readonly rates: RateTerms;
  readonly checked: CheckedRequest;
  readonly work: UnitOfWork;
}

/** Reserves what was admitted. */
function take(tx: Tx, { ask, attempt }: FittedAsk, taking: Admission): Result {
  const { id, rates, checked, work, accounts, shadowed } = taking;
  const { phase, scopes } = checked;
  const { nanos, tokens } = attempt;
  const packs = holdAll(accounts, attempt);
  work.save();
  const beside = writeHoldExtras({ phase, tokens, chain: scopes.chain ?? null, packs, accounts });
  const request = checked.holdRequest(ask);
  const counted = rates.countedOf(ask);
  return done(200, hold(tx, ask, { id, nanos, counted, beside, asked: request, packs, accounts, shadowed }));
}

/** Returns what a check refused, for a dry run: nothing was requested, so no approval is waiting. */
function denialBy(tx: Tx, { status, code, details }: Refusal): NonNullable<Verdict["would_deny"]> {
  const { approval_id: approval, ...said } = details as { approval_id?: string };
  const isWaiting = approval !== undefined && loadApproval(tx.sql, approval) !== null;
  return { status, code, details: isWaiting ? { ...details } : said };
}

interface NewHold {
  readonly id: string;
  readonly nanos: bigint;
  readonly counted: HoldRates;
  readonly beside: string | null;
  readonly asked: string | null;
  /** The credit packs that are reserved from, and how much of each. */
  readonly packs: readonly Draw[];
  readonly accounts: readonly Account[];
  readonly shadowed: Denial[];
}

function hold(tx: Tx, ask: DecisionAsk, made: NewHold) {
  const { id, nanos, counted, beside, asked, packs, accounts, shadowed } = made;
  const expiresAt = tx.now + (ask.hold_seconds ?? DEFAULT_HOLD_SECONDS) * 1000;
  const reservation = {
    id,
    amount_usd: formatUsd(nanos),
    expires_at: expiryText.of(expiresAt),
    ...outputOf(ask),
  };
  const decisionId = `dec_${id.slice("rsv_".length)}`;
  const verdict = verdictOf(tx.now, accounts, { decisionId, reservation, shadowed });
  const row: HoldRow = {
    ...PLAIN_HOLD,
    id,
    at: tx.now,
    expires_at: expiresAt,
    amount: String(nanos),
    meters: [...accounts, ...packs.map(({ pack }) => pack)].map(({ meter }) => meter.id).join(" "),
    customer_id: ask.customer_id ?? null,
    // Only a request with an id can be repeated.
    verdict: ask.request_id === undefined ? "" : JSON.stringify(verdict),
    ...counted,
    beside,
    asked,
    key_id: keyOf(tx) ?? null,
  };
  expireNoLaterThan(tx, expiresAt);
  insertHold(tx.sql, row);
  return verdict;
}

/**
 * An open, settled or charged hold answers for its request, and for no other fingerprint. A released hold, or an expired one
 * that was given back, holds nothing, so the request is decided again.
 */
function repeatedVerdict(
  tx: Tx,
  ask: DecisionAsk,
  id: string,
  stored: readonly HoldRow[],
): Done<Verdict> | Refusal<"conflict"> | null {
  const standing = stored.filter((row) => stands(row, tx.now));
  if (standing.length === 0) return null;
  const row = standing.find((one) => hasSameFingerprint(one.id, id));
  if (row === undefined) return requestIdReused();
  if (row.verdict !== "") return done(200, JSON.parse(row.verdict) as Verdict);
  return done(200, verdictOfReported(row, ask, amountOf(tx, row, ask)));
}

/** Returns what a hold was made for. Of one that no isolate has reported, only the request says it. */
function amountOf(tx: Tx, row: HoldRow, ask: DecisionAsk): bigint {
  if (row.unreported === null) return BigInt(row.amount);
  const estimate = estimateOf(tx, ask);
  return isRefusal(estimate) ? 0n : estimate;
}

function stands(row: HoldRow, now: number): boolean {
  if (row.status === "settled" || (row.status === "open" && row.expires_at > now)) return true;
  // A hold that is charged when it expires has been paid for.
  return row.status !== "released" && holdRequestOf(row)?.isCharged === true;
}

/** The bound that an allow tells its caller. */
function outputOf(ask: DecisionAsk): { max_output_tokens?: number } {
  const output = allowedOutput(ask);
  return output === null ? {} : { max_output_tokens: output };
}

/**
 * Of a hold made by an isolate only the amount is stored, so its verdict is built again. Isolates allow all that was asked
 * for, and nothing less.
 */
function verdictOfReported(row: HoldRow, ask: DecisionAsk, nanos: bigint): Verdict {
  return {
    decision: "allow",
    decision_id: `dec_${row.id.slice("rsv_".length)}`,
    reservation: {
      id: row.id,
      amount_usd: formatUsd(nanos),
      expires_at: new Date(row.expires_at).toISOString(),
      ...outputOf(ask),
    },
    limits: [],
    evaluated_at: new Date(row.at).toISOString(),
  };
}

interface VerdictParts {
  readonly decisionId: string;
  readonly reservation: Verdict["reservation"];
  readonly wouldDeny?: Verdict["would_deny"];
  readonly shadowed: Denial[];
  /** The bound that an allow would have. */
  readonly fitting?: ReturnType<typeof outputOf>;
}

function verdictOf(now: number, accounts: readonly Account[], parts: VerdictParts): Verdict {
  const { decisionId, reservation, wouldDeny, shadowed, fitting } = parts;
  const isAllowed = wouldDeny === undefined || wouldDeny === null;
  return {
    decision: isAllowed ? "allow" : "deny",
    decision_id: decisionId,
    reservation,
    ...(isAllowed ? fitting : {}),
    limits: accounts.flatMap(limitOf),
    ...(wouldDeny === undefined ? {} : { would_deny: wouldDeny }),
    ...(shadowed.length === 0 ? {} : { shadow: shadowed }),
    evaluated_at: nowText.of(now),
  };
}

const nowText = new TimeText();
const expiryText = new TimeText();

/** Returns what is left of a limit. An unlimited one has no such amount, and a depth is not an amount. */
function limitOf(account: Account): Verdict["limits"] {
  const { kind, id, limit } = account.meter;
  const unit = unitOf(account.meter);
  if (limit === null || unit === "depth") return [];
  const left = availableOf(account);
  return [
    { kind, id, ...(unit === "usd" ? { available_usd: formatUsd(left) } : { available: Number(left) }) },
  ];
}
