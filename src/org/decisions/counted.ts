import { leaseKeyIds, type RateMeter, subjectIn } from "../../domain/rate-policy.ts";

/**
 * What rate limits counted of a decision from its body, stored with its hold so that its run counts only the rest. If a
 * run settled a hold before any isolate reported it, this is what they counted of the run.
 */
export type CountedRates = {
  /** Ids of the policies, separated by spaces, each with the subject whose counter it was in, if it has one. */
  rates: string;
  /** For policies by tokens. The others count one. */
  tokens: number;
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

/** What was counted of a decision, or of its run, in one counter of a policy. */
export function countedBy(meter: RateMeter, hold: CountedRates): number {
  if (!isCountedIn(meter, hold)) return 0;
  return meter.policy.unit === "tokens" ? hold.tokens : 1;
}

/** Whether it was counted there. */
export function isCountedIn(meter: RateMeter, { rates }: CountedRates): boolean {
  return rates.split(" ").includes(entryOf(meter.policy.id, subjectIn(meter)));
}
