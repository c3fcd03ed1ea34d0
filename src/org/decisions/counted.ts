import type { RatePolicy } from "../../domain/rate-policy.ts";

/**
 * What rate limits counted of a decision from its body, stored with its hold so that its run counts only the rest. If a
 * run settled a hold before any isolate reported it, this is what they counted of the run.
 */
export type CountedRates = {
  /** Ids of the policies, separated by spaces. Null for a hold of an earlier version, for which it is unknown. */
  rates: string | null;
  /** For policies by tokens. The others count one. */
  tokens: number | null;
};

/** What one policy counted. */
export function countedBy(policy: RatePolicy, { rates, tokens }: CountedRates): number {
  // Decisions of an earlier version are assumed to have counted what their runs use, except for policies that name a
  // route.
  if (rates === null) return policy.match.route === undefined ? Number.POSITIVE_INFINITY : 0;
  if (!policiesIn(rates).includes(policy.id)) return 0;
  return policy.unit === "tokens" ? (tokens ?? 0) : 1;
}

/** Ids of the policies. */
export function policiesIn(rates: string | null): readonly string[] {
  return rates === null || rates === "" ? [] : rates.split(" ");
}
