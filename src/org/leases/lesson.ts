import { SINGLE_SCOPES, type SingleScope } from "../../contract/scopes.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { RateMeter, RateStanding } from "../../domain/rate-policy.ts";
import type { View } from "../kernel/door.ts";
import type { DecisionAsk } from "../../gate/ask.ts";
import type { KnownCeiling, Lesson, Matters } from "../../gate/lesson.ts";
import { scopesOf } from "../../domain/touch.ts";
import { Draft } from "../ledger/draft.ts";
import { knownMeters } from "../meters/store.ts";
import { pricesOf } from "../models/revisions.ts";

const MOST_NAMES = 500;

/** A rate limit as a decision found it. */
export interface MetRate {
  readonly meter: RateMeter;
  /** Its state before. */
  readonly standing: RateStanding;
  /** What the decision took from it. */
  readonly taken: number;
}

/** The verdict as text, with what it left of the rate limits, and in a dry run with the one that would refuse. */
export function withRates(verdict: object, rates: readonly MetRate[], limit: Refusal | null): string {
  if (rates.length === 0) return JSON.stringify(verdict);
  const { limits = [], ...rest } = verdict as { limits?: readonly object[] };
  const all = rates.map(({ meter: { policy }, standing, taken }) => ({
    kind: policy.kind === "rate" ? "rate_limit" : "quota_window",
    id: policy.id,
    available: Math.max(0, standing.room - taken),
  }));
  const refused = limit === null ? {} : { decision: "deny", would_deny: pick(limit) };
  return JSON.stringify({ ...rest, ...refused, limits: [...all, ...limits] });
}

function pick({ status, code, details }: Refusal): object {
  return { status, code, details };
}

export function lessonFor(view: View, ask: DecisionAsk, customerRates: boolean): Lesson {
  const draft = new Draft(view.sql, "decision", view.now);
  const accounts = draft.accounts({ scopes: scopesOf(ask), atMs: view.now });
  return {
    accounts: accounts.map(({ meter, subject, window, usage }) => ({ meter, subject, window, usage })),
    matters: mattersIn(view.sql, customerRates),
    price: null,
    ceiling: ask.model === undefined ? null : ceilingAt(view, ask.model),
  };
}

function ceilingAt({ sql, now }: View, model: string): KnownCeiling | null {
  const prices = pricesOf(sql, model);
  const revision = prices.at(now, now);
  return revision === null ? null : { ...revision.ceiling, untilMs: prices.nextChange(now) };
}

function mattersIn(sql: SqlStorage, customerRates: boolean): Matters {
  const { index, hasCustomerRows } = knownMeters(sql);
  const named = SINGLE_SCOPES.map((kind) => [kind, bounded([...(index.get(kind)?.keys() ?? [])])]);
  return {
    ...(Object.fromEntries(named) as Pick<Matters, SingleScope>),
    customer: hasCustomerRows || index.has("customer") || customerRates,
  };
}

function bounded(names: string[]): string[] | null {
  return names.length > MOST_NAMES ? null : names;
}
