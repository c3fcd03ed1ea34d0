import { leaseKeyIds, type RateMeter, type RatePolicy, subjectIn } from "../../domain/rate-policy.ts";

/**
 * What rate limits counted of a decision from its body, stored with its hold so that its run counts only the rest. If a
 * run settled a hold before any isolate reported it, this is what they counted of the run.
 */
export type CountedRates = {
  /**
   * Ids of the policies, separated by spaces, each with the subject whose counter it was in, if it has one. Null for a hold
   * of an earlier version, for which it is unknown.
   */
  rates: string | null;
  /** For policies by tokens. The others count one. */
  tokens: number | null;
};

/** What is stored of them with a hold. */
export function countedIn(meters: readonly RateMeter[]): string {
  return meters.map((meter) => entryOf(meter.policy.id, subjectIn(meter))).join(" ");
}

export function countedInKeys(leaseKeys: readonly string[]): string {
  return leaseKeys.map((key) => entryOf(...leaseKeyIds(key))).join(" ");
}

/** An id has no equals sign, and what is encoded has no space. */
function entryOf(id: string, subject: string): string {
  return subject === "" ? id : `${id}=${encodeURIComponent(subject)}`;
}

/** A hold, as far as it says what was counted of its decision, or of its run. */
type CountedHold = CountedRates & { readonly customer_id: string | null };

/** What was counted in one counter of a policy. */
export function countedBy(meter: RateMeter, hold: CountedHold): number {
  const { policy } = meter;
  const { rates, tokens } = hold;
  if (!isCountedIn(meter, hold)) return 0;
  // Decisions of an earlier version are assumed to have counted what their runs use, except for policies that name a
  // route.
  if (rates === null) return policy.match.route === undefined ? Number.POSITIVE_INFINITY : 0;
  return policy.unit === "tokens" ? (tokens ?? 0) : 1;
}

/** Whether it was counted there, as far as is known. */
export function isCountedIn(meter: RateMeter, hold: CountedHold): boolean {
  const { policy } = meter;
  if (hold.rates !== null && !policiesIn(hold.rates).includes(policy.id)) return false;
  return subjectOf(policy, hold) === subjectIn(meter);
}

/** In whose counter it was. Holds of an earlier version name only the customer, once for all policies. */
function subjectOf(policy: RatePolicy, { rates, customer_id: customer }: CountedHold): string {
  const entry = entriesIn(rates).find((one) => one.startsWith(`${policy.id}=`));
  if (entry !== undefined) return decodeURIComponent(entry.slice(policy.id.length + 1));
  return policy.match.customer_id === undefined ? "" : (customer ?? "");
}

/** Ids of the policies. */
function policiesIn(rates: string | null): readonly string[] {
  return entriesIn(rates).map((entry) => entry.split("=", 1)[0] ?? "");
}

function entriesIn(rates: string | null): readonly string[] {
  return rates === null || rates === "" ? [] : rates.split(" ");
}
