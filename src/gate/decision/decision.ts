import { isPriced } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { type Attempt, denialOf } from "../../domain/refusal/limit-denials.ts";
import { LEASE } from "../lease/protocol.ts";
import type { Slice } from "../lease/lease-client.ts";
import { roomOf } from "../../domain/meter/meter.ts";
import { MAX_USD_NANOS, parseSmallUsd } from "../../domain/price/money.ts";
import { reservationOf } from "../../domain/price/ceiling.ts";
import { isUnpriced } from "../../domain/price/unpriced.ts";
import { hasSameFingerprint } from "../../domain/reservation/reservation-id.ts";
import { leaseKey, rateAmount } from "../../domain/rate/policy.ts";
import { rateRefusal } from "../../domain/rate/denial.ts";
import {
  chargesOnExpiry,
  checksAll,
  DEFAULT_HOLD_SECONDS,
  type DecisionAsk,
  leastOf,
  mostOutput,
  mostUsed,
  allowedOutput,
  tokensOf,
} from "./ask.ts";
import { requestIdReused, fingerprintOf } from "./request-fingerprint.ts";
import { toRefusal } from "../../domain/refusal/limit-refusal.ts";
import type { GateCaller } from "../snapshot/caller.ts";
import type { Background } from "../lease/background.ts";
import type { OrgGate } from "../org-gate.ts";
import { rateStandingNow } from "../snapshot/rate-standing.ts";
import { isSameHold, type RecentAllow } from "./allow-cache.ts";
import { callText } from "../report/call-line.ts";
import { amountsOf, type KnownAccount, type LimitSet } from "./limit-set.ts";
import { type Allow, allowText } from "./verdict.ts";

/** An allow as text, or a refusal. */
export type Verdict = string | Refusal;

/** A refusal by rate limits that do not need the body, as far as this isolate knows. Null to continue. */
export function refusedUnread(
  gate: OrgGate,
  caller: GateCaller,
  now: number,
  background: Background,
): Refusal | null {
  const orgNow = gate.orgNow(now);
  if (caller.unread.length === 0 || orgNow === null) return null;
  const standings = caller.unread.map((meter) => {
    const key = leaseKey(meter, orgNow);
    const answer = gate.rate(key, now);
    const slice = gate.leaseClient.slice(key);
    return {
      meter,
      key,
      answer,
      standing: rateStandingNow({ meter, answer, slice, amount: 1 }, now),
      amount: 1,
    };
  });
  const refusal = rateRefusal(standings, orgNow);
  if (refusal === null) return null;
  const keys = standings.map(({ key }) => key);
  gate.recheck(keys, Math.min(...standings.map(({ answer }) => answer?.askedAt ?? now)), now, background);
  return refusal;
}

/**
 * Returns whether calls like this one can be decided from slices at all. Others are no reason to ask for any. Only the
 * object knows chains and approvals.
 */
export function isForSlices(ask: DecisionAsk, caller: GateCaller): boolean {
  if (ask.dry_run === true) return false;
  const isWhole = checksAll(ask, caller.checks);
  if (isWhole && (caller.judge === null || (ask.chain ?? ask.approval_id) !== undefined)) return false;
  return (ask.hold_seconds ?? 0) * 1000 <= LEASE.longestHoldMs;
}

/** Null if the isolate cannot decide by itself. Then the object decides. */
export function decideHere(gate: OrgGate, caller: GateCaller, ask: DecisionAsk, at: At): Verdict | null {
  if (ask.dry_run === true) return null;
  const name = ask.request_id === undefined ? null : nameOfRequest(gate, caller, ask.request_id, ask);
  if (name === null && (ask.request_id !== undefined || !gate.idsFor(caller).isReady())) return null;
  const verdict = decideNamed(gate, caller, ask, { ...at, name });
  // The name is needed again when the object has answered.
  if (verdict === null && name !== null) names.set(ask, name);
  return verdict;
}

/**
 * The same for a host that decides only requests without an id. No answer of it is ever repeated, so none is kept, and an allow
 * is returned as it is.
 */
export function allowHere(
  gate: OrgGate,
  caller: GateCaller,
  ask: DecisionAsk,
  at: At,
): Allow | Refusal | null {
  if (ask.dry_run === true || ask.request_id !== undefined || !gate.idsFor(caller).isReady()) return null;
  return allowNamed(gate, caller, ask, { ...at, name: null });
}

/** The names of requests that the object decides. */
const names = new WeakMap<DecisionAsk, string>();

interface At {
  readonly now: number;
  readonly background: Background;
}

interface NamedAt extends At {
  readonly name: string | null;
}

function decideNamed(gate: OrgGate, caller: GateCaller, ask: DecisionAsk, at: NamedAt): Verdict | null {
  const { name } = at;
  const cached = name === null ? undefined : gate.allows.get(name);
  if (cached !== undefined) {
    // Once the object has the hold, only the object knows whether it is still open.
    if (isReported(gate, cached)) return null;
    return hasSameFingerprint(cached.id, name ?? "") ? cached.text : requestIdReused();
  }
  const { batch } = gate.leaseClient;
  const allow = allowNamed(gate, caller, ask, at);
  if (allow === null || isRefusal(allow)) return allow;
  const text = allowText(gate, allow);
  if (name !== null) gate.allows.set({ id: allow.id, text, gate, batch });
  return text;
}

function allowNamed(
  gate: OrgGate,
  caller: GateCaller,
  ask: DecisionAsk,
  { name, now, background }: NamedAt,
): Allow | Refusal | null {
  if (!isForSlices(ask, caller) || (name !== null && gate.reservations.has(name))) return null;
  const orgNow = gate.orgNow(now);
  if (orgNow === null || gate.matters === null || !gate.knows(now)) return null;
  const limitSet = limitSetOf(gate, caller, ask);
  if (limitSet === undefined || orgNow >= limitSet.endsAt) return null;
  const nanos = costOf(gate, ask, orgNow);
  if (nanos === null || !passesChecks(gate, caller, ask, { nanos, orgNow })) return null;
  const tokens = tokensOf(ask);
  const amounts = amountsOf(limitSet, { nanos, tokens });
  // A slice may be small where its limit is not, so a call is never shrunk to one: the object knows how much fits.
  if (!gate.leaseClient.take(limitSet.slices, amounts, now)) {
    return refusedHere(gate, limitSet, leastOf(ask), { now, orgNow, background });
  }
  const expiresAt = orgNow + (ask.hold_seconds ?? DEFAULT_HOLD_SECONDS) * 1000;
  const ids = gate.idsFor(caller);
  const id = name === null ? ids.newId(orgNow) : ids.dated(name, orgNow);
  gate.leaseClient.note({
    limitSet: limitSet.reported,
    id,
    named: name !== null,
    nanos,
    tokens,
    at: orgNow,
    expiresAt,
    charge: {
      call: callText(ask, caller.keyId, chargesOnExpiry(ask, caller.onExpiry)),
      inputTokens: ask.estimate.input_tokens ?? 0,
    },
  });
  gate.keep(now, limitSet.slices, background);
  return { limitSet, id, nanos, output: allowedOutput(ask), expiresAt, orgNow, now };
}

/** A call that rules or detectors object to is left to the object, which also keeps what must stay of it. */
function passesChecks(
  { checks }: OrgGate,
  caller: GateCaller,
  ask: DecisionAsk,
  at: { readonly nanos: number; readonly orgNow: number },
): boolean {
  return !checksAll(ask, caller.checks) || (checks !== null && caller.judge?.(checks, ask, at) === true);
}

/** For a hold that the object made and therefore has. */
const REPORTED = 0;

/** An allow of the object. For a hold that this isolate gave, it repeats its own answer. */
export function repeatOwnAllow(gate: OrgGate, caller: GateCaller, ask: DecisionAsk, text: string): string {
  const { request_id: requestId } = ask;
  if (requestId === undefined || ask.dry_run === true) return text;
  const id = names.get(ask) ?? nameOfRequest(gate, caller, requestId, ask);
  if (id === null) return text;
  const cached = gate.allows.get(id);
  if (cached !== undefined && isSameHold(cached.text, text)) return cached.text;
  gate.allows.set({ id, text, gate, batch: REPORTED });
  return text;
}

/** Returns whether the isolate already knows what calls like this one touch. */
export function hasPlan(gate: OrgGate, caller: GateCaller, ask: DecisionAsk, now: number): boolean {
  const limitSet = gate.knows(now) ? limitSetOf(gate, caller, ask) : undefined;
  const orgNow = gate.orgNow(now) ?? 0;
  return limitSet !== undefined && orgNow < limitSet.endsAt && costOf(gate, ask, orgNow) !== null;
}

/** Returns what calls like this one would be decided from, as far as the isolate knows. */
export function slicesOf(gate: OrgGate, caller: GateCaller, ask: DecisionAsk): readonly Slice[] {
  return limitSetOf(gate, caller, ask)?.slices ?? [];
}

function limitSetOf(gate: OrgGate, caller: GateCaller, ask: DecisionAsk): LimitSet | undefined {
  const limitSets = checksAll(ask, caller.checks) ? gate.wholeSets : gate.sets;
  return gate.matters === null ? undefined : limitSets.get(gate.matters, caller.keyId, ask);
}

/** Counts a call that the object allowed as demand for slices. */
export function noteDemand(
  gate: OrgGate,
  caller: GateCaller,
  ask: DecisionAsk,
  { now, background }: { readonly now: number; readonly background: Background },
): void {
  const limitSet = limitSetOf(gate, caller, ask);
  const nanos = costOf(gate, ask, gate.orgNow(now) ?? 0);
  if (limitSet !== undefined && nanos !== null) {
    gate.leaseClient.missAll(limitSet.slices, amountsOf(limitSet, { nanos, tokens: tokensOf(ask) }));
  }
  gate.keep(now, limitSet?.slices ?? [], background);
}

/** `ask` is what there must be room for. */
function refusedHere(
  gate: OrgGate,
  limitSet: LimitSet,
  ask: DecisionAsk,
  { now, orgNow, background }: At & { readonly orgNow: number },
): Refusal | null {
  const nanos = costOf(gate, ask, orgNow);
  if (nanos === null) return null;
  const tokens = tokensOf(ask);
  const amounts = amountsOf(limitSet, { nanos, tokens });
  if (limitSet.rates.length > 0) {
    const standings = limitSet.rates.map(({ meter, key, slice, isUsd }) => {
      const amount = rateAmount(meter.policy, { nanos, tokens });
      const answer = gate.rate(key, now, isUsd);
      return { meter, standing: rateStandingNow({ meter, answer, slice, amount }, now), amount };
    });
    const refusal = rateRefusal(standings, orgNow);
    if (refusal !== null) return refusal;
  }
  for (const [index, { known, slice }] of limitSet.accounts.entries()) {
    if (!gate.isCurrent(known, now)) return null;
    const amount = amounts[limitSet.rates.length + index] ?? 0;
    const room = roomOf(known.account);
    if (room === null || amount === 0 || amount <= room + BigInt(slice.left)) continue;
    if (known.account.meter.mode !== "enforce" || !known.hasRefused(amount)) return null;
    gate.recheck(limitSet.reported.keys, known.askedAt, now, background);
    return refusedBy(known, amount, { nanos: BigInt(nanos), tokens, depth: 0 });
  }
  return null;
}

/** The same limit refuses the same amount with the same text, until the object says something new about it. */
function refusedBy(known: KnownAccount, amount: number, attempt: Attempt): Refusal {
  if (known.refusal?.amount !== amount) {
    known.refusal = { amount, given: toRefusal(denialOf(known.account, attempt, "decision"), attempt.nanos) };
  }
  return known.refusal.given;
}

function asNumber(nanos: bigint): number | null {
  return nanos <= Number.MAX_SAFE_INTEGER ? Number(nanos) : null;
}

/** Null if unknown, or more than slices can count. */
export function costOf(gate: OrgGate, ask: DecisionAsk, orgNow: number): number | null {
  const { estimate, model, provider, variant } = ask;
  if (estimate.cost_usd !== undefined) return parseSmallUsd(estimate.cost_usd);
  const ceiling = model === undefined ? undefined : gate.ceilings.get({ model, provider });
  if (ceiling === undefined || ceiling === null) return null;
  if (ceiling.untilMs !== null && orgNow >= ceiling.untilMs) return null;
  if (!isPriced(estimate)) return null;
  const nanos = reservationOf(ceiling, mostUsed(ask, mostOutput(ask)), variant);
  return isUnpriced(nanos) || nanos > MAX_USD_NANOS ? null : asNumber(nanos);
}

function nameOfRequest(
  gate: OrgGate,
  caller: GateCaller,
  requestId: string,
  ask: DecisionAsk,
): string | null {
  return gate.idsFor(caller).nameOf(requestId, fingerprintOf(ask));
}

/** A gate that was forgotten since had reported everything. */
function isReported(gate: OrgGate, cached: RecentAllow<OrgGate>): boolean {
  return cached.gate !== gate || gate.leaseClient.hasReported(cached.batch);
}
