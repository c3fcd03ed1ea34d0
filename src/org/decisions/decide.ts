import { invalidField, isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Verdict } from "../../contract/resources/decisions.ts";
import { tallyUnpriced } from "../ledger/tally.ts";
import { holdAll } from "../../domain/admission.ts";
import type { Draw } from "../../domain/credit.ts";
import { availableOf, type Denial, denialOf } from "../../domain/kinds.ts";
import { type Account, unitOf } from "../../domain/meter.ts";
import { formatUsd, MAX_USD_NANOS, parseUsd } from "../../domain/money.ts";
import { reservationOf } from "../../domain/price/ceiling.ts";
import { isSameQuestion } from "../../domain/reservation-id.ts";
import { TimeText } from "../../domain/time-text.ts";
import { newId } from "../../domain/ulid.ts";
import { command, type Done, done, type Tx } from "../kernel/door.ts";
import { announceLoneRefusal, announceRefusal } from "../ledger/announce.ts";
import { Draft } from "../ledger/draft.ts";
import { CHECK_CODES, RUN_CODES } from "../../contract/limit-codes.ts";
import { toRefusal } from "../../domain/limit-refusal.ts";
import { loadApproval } from "../approvals/store.ts";
import type { Entry } from "../meters/usage.ts";
import { pricesOf } from "../models/revisions.ts";
import { askedOf } from "./asked.ts";
import { isSameAsEarlier } from "./earlier.ts";
import { admitFreeing } from "./admit.ts";
import { expireHold, expireHolds, expireNoLaterThan } from "./expire.ts";
import { DEFAULT_HOLD_SECONDS, DEFAULT_OUTPUT_TOKENS, type DecisionAsk } from "../../gate/ask.ts";
import { otherQuestion, questionOf } from "../../gate/question.ts";
import type { CountedRates } from "./counted.ts";
import { writeBeside } from "./held.ts";
import { keptOf } from "./kept-ask.ts";
import { deleteHold, type HoldRow, insertHold, loadRequest } from "./store.ts";

/** A decision, and whether it created a new hold. */
export interface Decided {
  readonly result: Done<Verdict> | Refusal<DecideCode>;
  readonly taken: boolean;
  /** The id of the new reservation, if it derives from a request id. */
  readonly named: string | null;
}

type DecideCode = (typeof CODES)[number];

const CODES = [...CHECK_CODES, ...RUN_CODES, "validation_failed", "conflict"] as const;

/** The exact decision, in one step: reserved in every limit that applies, or in none. */
export const decide = command({
  action: null,
  isJournaled: true,
  refuses: CODES,
  models: modelsOf,
  run: (tx, ask: DecisionAsk) => decideOnce(tx, ask, { rates: "", tokens: 0 }).result,
});

/** The model of an ask that does not state its cost. */
export function modelsOf({ model, estimate }: DecisionAsk): readonly string[] {
  return model === undefined || estimate.cost_usd !== undefined ? [] : [model];
}

/**
 * A request that was already decided, here or in an isolate that has reported it, gets the same answer and reserves
 * nothing more.
 */
export function decideOnce(tx: Tx, ask: DecisionAsk, counted: CountedRates): Decided {
  if (ask.request_id === undefined || ask.dry_run === true) {
    const id = tx.reservationIds().newId(tx.now);
    const result = decideAnew(tx, ask, { id, isStored: false, counted });
    return { result, taken: !isRefusal(result) && ask.dry_run !== true, named: null };
  }
  // The same question has the same name wherever it is decided: isolates derive it alike.
  const id = tx.reservationIds().idOf(ask.request_id, questionOf(ask), tx.now);
  const stored = loadRequest(tx.sql, id);
  const told = retold(tx, ask, id, stored);
  if (told !== null) return { result: told, taken: false, named: null };
  const isStored = stored.some((row) => row.id === id);
  const result = decideAnew(tx, ask, { id, isStored, counted });
  const taken = !isRefusal(result);
  return { result, taken, named: taken ? id : null };
}

interface NewDecision {
  /** Of its hold. */
  readonly id: string;
  /** Whether a hold of that id is stored, which is over. */
  readonly isStored: boolean;
  readonly counted: CountedRates;
}

function decideAnew(
  tx: Tx,
  ask: DecisionAsk,
  { id, isStored, counted }: NewDecision,
): Done<Verdict> | Refusal<DecideCode> {
  const nanos = estimateOf(tx, ask);
  if (isRefusal(nanos)) {
    tx.afterRefusal(() => tallyUnpriced(tx, [nanos]));
    return nanos;
  }
  const asked = askedOf(tx, ask, nanos);
  if (isRefusal(asked)) return asked;
  expireHolds(tx);
  if (isStored) expireHold(tx, id);
  const { attempt, scopes, phase } = asked;
  const findings = asked.judge();
  const checked = findings.find(({ refusal }) => refusal !== null);
  if (checked?.refusal && ask.dry_run !== true) {
    tx.afterRefusal(checked.effect);
    checked.tell?.();
    return checked.refusal;
  }
  const draft = new Draft(tx.sql, phase, tx.now);
  const accounts = draft.accounts({ scopes, atMs: tx.now });
  const { refusedBy, shadow } = admitFreeing(tx, draft, accounts, attempt);
  const shadowed = shadow.map((account) => denialOf(account, attempt, "decision"));
  if (ask.dry_run === true) {
    const byLimit = refusedBy === null ? null : denialOf(refusedBy, attempt, "decision");
    const wouldDeny = checked?.refusal ? denialBy(tx, checked.refusal) : byLimit;
    const decisionId = newId("dec", tx.now);
    return done(200, verdictOf(tx.now, accounts, { decisionId, reservation: null, wouldDeny, shadowed }));
  }
  if (refusedBy !== null) {
    tx.afterRefusal(() => announceLoneRefusal(tx, refusedBy, attempt, "decision"));
    return toRefusal(denialOf(refusedBy, attempt, "decision"), attempt.nanos);
  }
  for (const { effect } of findings) effect();
  for (const account of shadow) announceRefusal(tx, account as Entry, attempt, "decision");
  const packs = holdAll(accounts, attempt);
  draft.save();
  if (isStored) deleteHold(tx.sql, id);
  const { tokens } = attempt;
  const beside = writeBeside({ phase, tokens, chain: scopes.chain ?? null, packs, accounts });
  const kept = asked.kept();
  return done(200, hold(tx, ask, { id, nanos, counted, beside, asked: kept, packs, accounts, shadowed }));
}

/** What a check refused, for a dry run: nothing was requested, so no approval is waiting. */
function denialBy(tx: Tx, { status, code, details }: Refusal): NonNullable<Verdict["would_deny"]> {
  const { approval_id: approval, ...said } = details as { approval_id?: string };
  const isWaiting = approval !== undefined && loadApproval(tx.sql, approval) !== null;
  return { status, code, details: isWaiting ? { ...details } : said };
}

interface NewHold {
  readonly id: string;
  readonly nanos: bigint;
  readonly counted: CountedRates;
  readonly beside: string | null;
  readonly asked: string | null;
  /** What is reserved of which credit packs. */
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
  };
  const decisionId = `dec_${id.slice("rsv_".length)}`;
  const verdict = verdictOf(tx.now, accounts, { decisionId, reservation, shadowed });
  const row: HoldRow = {
    id,
    digest: "",
    status: "open",
    at: tx.now,
    expires_at: expiresAt,
    ended_at: null,
    amount: String(nanos),
    meters: [...accounts, ...packs.map(({ pack }) => pack)].map(({ meter }) => meter.id).join(" "),
    customer_id: ask.customer_id ?? null,
    // Only a request with an id can be repeated.
    verdict: ask.request_id === undefined ? "" : JSON.stringify(verdict),
    unreported: null,
    ...counted,
    beside,
    asked,
  };
  expireNoLaterThan(tx, expiresAt);
  insertHold(tx.sql, row);
  return verdict;
}

/**
 * An open, settled or charged hold answers for its request, and for no other question. A released hold, or an expired one
 * that was given back, holds nothing, so the request is decided again.
 */
function retold(
  tx: Tx,
  ask: DecisionAsk,
  id: string,
  stored: readonly HoldRow[],
): Done<Verdict> | Refusal<"conflict"> | null {
  const standing = stored.filter((row) => stands(row, tx.now));
  if (standing.length === 0) return null;
  const estimate = estimateOf(tx, ask);
  const nanos = isRefusal(estimate) ? null : estimate;
  const row =
    standing.find((one) => isSameQuestion(one.id, id)) ??
    standing.find((one) => !isChecked(tx, one) && isSameAsEarlier(one, ask, nanos));
  if (row === undefined) return otherQuestion();
  if (row.verdict !== "") return done(200, JSON.parse(row.verdict) as Verdict);
  return done(200, verdictOfReported(row, row.unreported === null ? BigInt(row.amount) : (nanos ?? 0n)));
}

function isChecked(tx: Tx, { id, at }: HoldRow): boolean {
  return tx.reservationIds().originOf(id, at) !== null;
}

function stands(row: HoldRow, now: number): boolean {
  if (row.status === "settled" || (row.status === "open" && row.expires_at > now)) return true;
  // What is charged when it expires has been paid for.
  return row.status !== "released" && keptOf(row)?.isCharged === true;
}

/** Of a hold made by an isolate only the amount is stored, so its verdict is built again. */
function verdictOfReported(row: HoldRow, nanos: bigint): Verdict {
  return {
    decision: "allow",
    decision_id: `dec_${row.id.slice("rsv_".length)}`,
    reservation: {
      id: row.id,
      amount_usd: formatUsd(nanos),
      expires_at: new Date(row.expires_at).toISOString(),
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
}

function verdictOf(now: number, accounts: readonly Account[], parts: VerdictParts): Verdict {
  const { decisionId, reservation, wouldDeny, shadowed } = parts;
  return {
    decision: wouldDeny === undefined || wouldDeny === null ? "allow" : "deny",
    decision_id: decisionId,
    reservation,
    limits: accounts.flatMap(limitOf),
    ...(wouldDeny === undefined ? {} : { would_deny: wouldDeny }),
    ...(shadowed.length === 0 ? {} : { shadow: shadowed }),
    evaluated_at: nowText.of(now),
  };
}

const nowText = new TimeText();
const expiryText = new TimeText();

/** What is left of a limit. An unlimited one has no such amount, and a depth is not an amount. */
function limitOf(account: Account): Verdict["limits"] {
  const { kind, id, limit } = account.meter;
  const unit = unitOf(account.meter);
  if (limit === null || unit === "depth") return [];
  const left = availableOf(account);
  return [
    { kind, id, ...(unit === "usd" ? { available_usd: formatUsd(left) } : { available: Number(left) }) },
  ];
}

/**
 * `cost_usd` takes precedence. Otherwise tokens at the highest rates of the price book that can apply. A model without
 * a price is refused, never free.
 */
export function estimateOf(
  tx: Pick<Tx, "sql" | "now">,
  ask: DecisionAsk,
): bigint | Refusal<"validation_failed"> {
  const { cost_usd, input_tokens, max_output_tokens } = ask.estimate;
  if (cost_usd !== undefined) {
    return parseUsd(cost_usd) ?? invalidField("estimate.cost_usd", "invalid_format", "must be an amount");
  }
  if (input_tokens === undefined && max_output_tokens === undefined) {
    return invalidField("estimate.cost_usd", "required", "is required if no tokens are given");
  }
  if (ask.model === undefined) {
    return invalidField("model", "required", "is required to price tokens");
  }
  const revision = pricesOf(tx.sql, ask.model).at(tx.now, tx.now);
  if (revision === null)
    return invalidField("model", "no_price", "has no price in this organization's price book");
  const output = max_output_tokens ?? DEFAULT_OUTPUT_TOKENS;
  const nanos = reservationOf(revision.ceiling, input_tokens ?? 0, output, ask.variant);
  if (nanos === null) return invalidField("variant", "no_price", "is not a variant of this model's price");
  return nanos > MAX_USD_NANOS
    ? invalidField("estimate", "out_of_range", "results in a cost above the maximum amount")
    : nanos;
}
