import { SINGLE_SCOPES, type SingleScope } from "../../contract/scopes.ts";
import type { Refusal } from "../../contract/refusal.ts";
import {
  type RateMeter,
  type RatePolicy,
  type RateStanding,
  formatPolicyAmount,
} from "../../domain/rate/policy.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { View } from "../kernel/door.ts";
import { checksAll, type DecisionAsk } from "../../gate/decision/ask.ts";
import type { Trait } from "../../contract/dimensions.ts";
import { type Match, prefixOf, traitsIn } from "../../domain/meter/match.ts";
import { matchBeside } from "../../domain/rate/match.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { loadDetectors } from "../content-safety/config.ts";
import { toPack } from "../credit-packs/store.ts";
import { loadPolicies } from "../policy-rules/store.ts";
import type { KnownCeiling } from "../../gate/snapshot/ceilings.ts";
import type {
  KnownChecks,
  DecisionPlan,
  RelevantNames,
  TraitMatters,
} from "../../gate/snapshot/decision-plan.ts";
import { scopesOf } from "../../domain/meter/limit-set.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { knownMeters, loadCustomerRows } from "../meters/store.ts";
import { pricesOf } from "../models/revisions.ts";

const MOST_NAMES = 500;
/** A slice is stored with its subject, for each isolate, so longer subjects are not leased. */
export const MOST_SUBJECT_CHARACTERS = 400;
/** The most characters of rules and detectors together. */
const MOST_CHARACTERS = 65_536;

/** A rate limit as a decision found it. */
export interface RateCharge {
  readonly meter: RateMeter;
  /** Its state before. */
  readonly standing: RateStanding;
  /** The amount that the decision took from it. */
  readonly taken: number;
}

/** The verdict as text, with what it left of the rate limits, and in a dry run with the one that would refuse. */
export function withRates(verdict: object, rates: readonly RateCharge[], limit: Refusal | null): string {
  if (rates.length === 0) return JSON.stringify(verdict);
  const { limits = [], ...rest } = verdict as { limits?: readonly object[] };
  const all = rates.map(({ meter: { policy }, standing, taken }) => ({
    kind: policy.kind === "rate" ? "rate_limit" : "quota_window",
    id: policy.id,
    ...(policy.unit === "usd"
      ? { available_usd: formatPolicyAmount(policy, Math.max(0, standing.room - taken)) }
      : { available: Math.max(0, standing.room - taken) }),
  }));
  const refused = limit === null ? {} : { decision: "deny", would_deny: pick(limit) };
  return JSON.stringify({ ...rest, ...refused, limits: [...all, ...limits] });
}

function pick({ status, code, details }: Refusal): object {
  return { status, code, details };
}

/** Null if calls like it are for the object. */
export function decisionPlanFor(
  view: View,
  ask: DecisionAsk,
  rates: readonly RatePolicy[],
): DecisionPlan | null {
  const isWhole = checksAll(ask, view.profile().decisionDefaults.checks);
  const work = new UnitOfWork(view.sql, isWhole ? "run" : "decision", view.now);
  const found = work.accounts({ scopes: scopesOf(ask, { keyId: keyOf(view) }), atMs: view.now });
  const accounts = isWhole ? found.filter(isLeased) : found;
  if (accounts.some(({ subject }) => subject.length > MOST_SUBJECT_CHARACTERS)) return null;
  return {
    ...(isWhole ? { checks: checksFor(view, ask.customer_id) } : {}),
    accounts: accounts.map(({ meter, subject, window, usage }) => ({ meter, subject, window, usage })),
    matters: mattersIn(view, rates),
    ceiling: ask.model === undefined ? null : ceilingAt(view, { model: ask.model, provider: ask.provider }),
  };
}

/** Credits are drawn pack by pack. A limit that never refuses is counted when the run is recorded. */
function isLeased({ meter: { kind, limit, mode } }: Account): boolean {
  return kind !== "credits" && limit !== null && mode !== "count";
}

/** Null if the customer has credits, now or later, which the object reserves; or there is more than is sent around. */
function checksFor(view: View, customerId: string | undefined): KnownChecks | null {
  if (customerId !== undefined && hasPacks(view, customerId)) return null;
  const checks = {
    rules: loadPolicies(view).map(({ rule }) => rule),
    detectors: loadDetectors(view).map(({ detector }) => detector),
  };
  return JSON.stringify(checks).length > MOST_CHARACTERS ? null : checks;
}

function hasPacks({ sql, now }: View, customerId: string): boolean {
  return loadCustomerRows(sql, [customerId])
    .filter(({ kind }) => kind === "credit_pack")
    .map(toPack)
    .some(
      ({ voidedAtMs, expiresAtMs }) => voidedAtMs === null && (expiresAtMs === null || expiresAtMs > now),
    );
}

function ceilingAt({ sql, now }: View, model: ModelName): KnownCeiling | null {
  const prices = pricesOf(sql, model);
  const revision = prices.at(now, now);
  if (revision === null) return null;
  const { context_window: contextWindow, max_output_tokens: maxOutputTokens } = revision.terms;
  return { ...revision.ceiling, untilMs: prices.nextChange(now), contextWindow, maxOutputTokens };
}

function mattersIn({ sql, now }: View, rates: readonly RatePolicy[]): RelevantNames {
  const { index, hasCustomerRows } = knownMeters(sql, now);
  const { byScope, matching } = index;
  const named = SINGLE_SCOPES.map((kind) => [kind, bounded([...(byScope.get(kind)?.keys() ?? [])])]);
  const matches = [...matching.matches, ...rates.map(({ match }) => matchBeside(match))];
  const traits = traitsIn(matches).map((trait) => traitMatters(matches, trait));
  return {
    ...(Object.fromEntries(named) as Pick<RelevantNames, SingleScope>),
    customer:
      hasCustomerRows ||
      byScope.has("customer") ||
      rates.some(({ match }) => match.customer_id !== undefined),
    ...(traits.length === 0 ? {} : { traits }),
  };
}

/** Returns which values of a trait limits look at. Where each value has its own counter, all of them do. */
function traitMatters(matches: readonly Match[], trait: Trait): TraitMatters {
  const values = matches.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.trait === trait ? part.values : [])),
  );
  const isAll = matches.some(({ groupBy }) => groupBy.includes(trait));
  const prefixes = values.flatMap((value) => prefixOf(trait, value) ?? []);
  const names = values.filter((value) => prefixOf(trait, value) === null);
  return { trait, names: isAll ? null : bounded([...new Set(names)]), prefixes: [...new Set(prefixes)] };
}

function bounded(names: string[]): string[] | null {
  return names.length > MOST_NAMES ? null : names;
}
