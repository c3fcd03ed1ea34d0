import {
  leaseKeyIds,
  rateAmount,
  type RateMeter,
  type RatePolicy,
  subjectIn,
} from "../../domain/rate/policy.ts";

/**
 * The counts of rate limits for a decision, from its body. They are stored with its hold, so that its run counts only
 * the rest. If a run settled a hold before any isolate reported it, they are what was counted of the run.
 */
export type HoldRates = {
  /** Ids of the policies, separated by spaces, each with the subject whose counter it was in, if it has one. */
  rates: string;
  /** For policies by tokens. Those by dollars count the hold's amount, and the others one. */
  tokens: number;
};

/** Returns what is stored of them with a hold. */
export function writeHoldRates(meters: readonly RateMeter[]): string {
  return meters.map((meter) => entryOf(meter.policy.id, subjectIn(meter))).join(" ");
}

export function writeHoldRatesOfKeys(leaseKeys: readonly string[]): string {
  return leaseKeys.map((key) => entryOf(...leaseKeyIds(key))).join(" ");
}

/** An id has no equals sign, and what is encoded has no space. */
function entryOf(id: string, subject: string): string {
  return subject === "" ? id : `${id}=${encodeURIComponent(subject)}`;
}

/** A hold, as far as it says what was counted of its decision, or of its run. */
type RatedHold = HoldRates & { readonly amount: string };

/** Returns what was counted in one counter of a policy. */
export function readCountedAmount(meter: RateMeter, hold: RatedHold): number {
  if (!isCountedIn(meter, hold)) return 0;
  return rateAmount(meter.policy, { nanos: Number(hold.amount), tokens: hold.tokens });
}

/** Returns whether it was counted there. */
export function isCountedIn(meter: RateMeter, { rates }: Pick<HoldRates, "rates">): boolean {
  return rates.split(" ").includes(entryOf(meter.policy.id, subjectIn(meter)));
}

/** The counters of these policies in which it was. */
export function findCountedMeters(policies: readonly RatePolicy[], { rates }: RatedHold): RateMeter[] {
  const entries = rates.split(" ").map((entry) => entry.split("="));
  return policies.flatMap((policy) => {
    const entry = entries.find(([id]) => id === policy.id);
    if (entry === undefined) return [];
    const [, subject = ""] = entry;
    return [{ policy, key: subject === "" ? policy.id : `${policy.id} ${decodeURIComponent(subject)}` }];
  });
}
