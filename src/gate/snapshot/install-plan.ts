import { DECISION_ROUTE } from "../../contract/decision.ts";
import { RUN_CODES } from "../../contract/limit-codes.ts";
import { admit } from "../../domain/meter/admission.ts";
import { amountOf } from "../../domain/refusal/limit-denials.ts";
import { unitOf } from "../../domain/meter/meter.ts";
import { leaseKey, rateMetersFor } from "../../domain/rate/policy.ts";
import { accountKey } from "../decision/account-key.ts";
import { checksAll, type DecisionAsk, leastOf, tokensOf } from "../decision/ask.ts";
import type { GateCaller } from "./caller.ts";
import { costOf } from "../decision/decision.ts";
import type { DecisionPlan } from "./decision-plan.ts";
import type { DecisionVerdict } from "../decision/object-verdict.ts";
import type { OrgGate } from "../org-gate.ts";
import { KnownLimits, type KnownAccount, newLimitSet } from "../decision/limit-set.ts";

/** A decision of the object, when it was asked, and when it answered. */
interface TimedVerdict {
  readonly verdict: DecisionVerdict;
  readonly askedAt: number;
  readonly now: number;
}

/** Learns from the object's decision, so that this isolate can make the next one. */
export function installPlan(
  gate: OrgGate,
  caller: GateCaller,
  ask: DecisionAsk,
  { verdict, askedAt, now }: TimedVerdict,
): void {
  const { orgNow, rates, refusal, decisionPlan, touch: mark = null, version } = verdict;
  gate.setTime(orgNow, askedAt, now);
  if (refusal !== null) gate.setRates(rates, askedAt, now);
  if (decisionPlan === null) return;
  if (!gate.accepts(version, askedAt)) return;
  gate.matters = new KnownLimits(decisionPlan.matters);
  const { model, provider } = ask;
  if (model !== undefined) gate.ceilings.set({ model, provider }, decisionPlan.ceiling);
  const accounts = decisionPlan.accounts.map((account) => {
    const key = accountKey(account);
    return { key, known: gate.account(key, account, askedAt) };
  });
  if (refusal !== null && LIMIT_CODES.has(refusal.code)) {
    const least = leastOf(ask);
    installRefusal(costOf(gate, least, orgNow), least, decisionPlan, accounts);
  }
  const isWhole = checksAll(ask, caller.checks);
  if (isWhole) {
    if (!decisionPlan.checks) return;
    gate.checks ??= decisionPlan.checks;
  }
  const subject = { route: DECISION_ROUTE, keyId: caller.keyId, names: ask };
  const meters = rateMetersFor(caller.policies, subject);
  const limitSet = newLimitSet({
    accounts,
    rates: meters.map((meter) => ({ key: leaseKey(meter, orgNow), meter })),
    // If customers do not matter, calls of all of them touch the same meters.
    customer: gate.matters.customer ? ask.customer_id : undefined,
    keyId: caller.keyId,
    isWhole,
    mark,
    orgNow,
    sliceOf: (key) => gate.leaseClient.slice(key),
  });
  const which = isWhole ? gate.wholeSets : gate.sets;
  gate.install(which, { matters: gate.matters, keyId: caller.keyId, names: ask, limitSet });
}

const LIMIT_CODES: ReadonlySet<string> = new Set(RUN_CODES);

/** The decision plan is from the time of the refusal: the limit that refused is the first in it without room. */
function installRefusal(
  nanos: number | null,
  ask: DecisionAsk,
  { accounts }: DecisionPlan,
  limitSetAccounts: readonly { readonly known: KnownAccount }[],
): void {
  if (nanos === null) return;
  const attempt = { nanos: BigInt(nanos), tokens: tokensOf(ask), depth: 0 };
  const { refusedBy: limit } = admit(accounts, attempt);
  if (limit === null) return;
  const amount = amountOf(unitOf(limit.meter), attempt);
  limitSetAccounts[accounts.indexOf(limit)]?.known.refusedThere(amount);
}
