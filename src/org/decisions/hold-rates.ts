import {
  bucketOf,
  leaseKeyIds,
  rateAmount,
  type RateMeter,
  type RatePolicy,
  subjectIn,
} from "../../domain/rate/policy.ts";
import { type CountedPart, withoutAmount } from "../../domain/rate/counted-part.ts";

/**
 * The counts of rate limits for a decision, from its body. They are stored with its hold, so that its run counts only
 * the rest. If a run settled a hold before any isolate reported it, they are what was counted of the run.
 */
export type HoldRates = {
  /**
   * Ids of the policies, separated by spaces, each with when its dollars were counted, if that is not when the hold was
   * made, and with the subject whose counter it was in, if it has one.
   */
  rates: string;
  /** For policies by tokens. Those by dollars count the hold's amount, and the others one. */
  tokens: number;
};

/** A hold, as far as it says what was counted of its decision, or of its run. */
type RatedHold = HoldRates & { readonly amount: string };
type CountedHold = RatedHold & { readonly at: number };

/** A policy that has counted a hold. */
interface RateEntry {
  readonly id: string;
  readonly subject: string;
  /** Empty: all of it when the hold was made. The first part is what the others leave of the amount. */
  readonly parts: readonly CountedPart[];
}

/** Returns what is stored of them with a hold. */
export function writeHoldRates(meters: readonly RateMeter[]): string {
  return writeEntries(meters.map((meter) => ({ id: meter.policy.id, subject: subjectIn(meter), parts: [] })));
}

/** The same for lease keys. `countedAt` returns when a policy by dollars has counted the hold. Null for any other. */
export function writeHoldRatesOfKeys(
  leaseKeys: readonly string[],
  countedAt: (leaseKey: string) => number | null,
): string {
  return writeEntries(
    leaseKeys.map((key) => {
      const [id, subject] = leaseKeyIds(key);
      const atMs = countedAt(key);
      return { id, subject, parts: atMs === null ? [] : [{ atMs, amount: 0 }] };
    }),
  );
}

/** An id has no equals sign and no at sign, and what is encoded has no space. */
function writeEntries(entries: readonly RateEntry[]): string {
  return entries
    .map(({ id, subject, parts: [first, ...rest] }) => {
      const times =
        first === undefined ? [] : [first.atMs, ...rest.map((one) => `${one.atMs}:${one.amount}`)];
      const when = times.length === 0 ? "" : `@${times.join(",")}`;
      return `${id}${when}${subject === "" ? "" : `=${encodeURIComponent(subject)}`}`;
    })
    .join(" ");
}

function readEntries({ rates }: Pick<HoldRates, "rates">): RateEntry[] {
  if (rates === "") return [];
  return rates.split(" ").map((entry) => {
    const [counted = "", subject = ""] = entry.split("=");
    const [id = "", when] = counted.split("@");
    const parts = when?.split(",").map((part) => {
      const [atMs, amount = 0] = part.split(":").map(Number);
      return { atMs: atMs ?? 0, amount };
    });
    return { id, subject: decodeURIComponent(subject), parts: parts ?? [] };
  });
}

function entryOf(meter: RateMeter, hold: Pick<HoldRates, "rates">): RateEntry | undefined {
  const subject = subjectIn(meter);
  return readEntries(hold).find((entry) => entry.id === meter.policy.id && entry.subject === subject);
}

/** Returns what was counted in one counter of a policy. */
export function readCountedAmount(meter: RateMeter, hold: RatedHold): number {
  if (!isCountedIn(meter, hold)) return 0;
  return rateAmount(meter.policy, { nanos: Number(hold.amount), tokens: hold.tokens });
}

/** Returns whether it was counted there. */
export function isCountedIn(meter: RateMeter, hold: Pick<HoldRates, "rates">): boolean {
  return entryOf(meter, hold) !== undefined;
}

/** The counters of these policies in which it was. */
export function findCountedMeters(policies: readonly RatePolicy[], hold: RatedHold): RateMeter[] {
  const entries = readEntries(hold);
  return policies.flatMap((policy) => {
    const entry = entries.find(({ id }) => id === policy.id);
    if (entry === undefined) return [];
    const { subject } = entry;
    return [{ policy, key: subject === "" ? policy.id : `${policy.id} ${subject}` }];
  });
}

/** Returns when a policy by dollars has counted how much of a hold, the earliest part first. */
export function readCountedParts(meter: RateMeter, hold: CountedHold): readonly CountedPart[] {
  const entry = entryOf(meter, hold);
  return entry === undefined ? [] : partsOf(entry, hold);
}

function partsOf({ parts: [first, ...rest] }: RateEntry, hold: CountedHold): readonly CountedPart[] {
  const later = rest.reduce((sum, { amount }) => sum + amount, 0);
  return [{ atMs: first?.atMs ?? hold.at, amount: Number(hold.amount) - later }, ...rest];
}

/** A hold that is renewed again and again is counted in so many parts at most. */
const MOST_PARTS = 32;

/** What is stored with a hold whose amount becomes another now: more is counted now, and less where it was counted first. */
export function recountHoldRates(
  policies: readonly RatePolicy[],
  hold: CountedHold,
  { more, nowMs }: { readonly more: number; readonly nowMs: number },
): string {
  const dollars = new Map(policies.filter(({ unit }) => unit === "usd").map((policy) => [policy.id, policy]));
  const entries = readEntries(hold).map((entry) => {
    const policy = dollars.get(entry.id);
    if (policy === undefined) return entry;
    const parts = partsOf(entry, hold);
    if (more <= 0) return { ...entry, parts: withoutAmount(parts, -more).left };
    return { ...entry, parts: joined(policy, [...parts, { atMs: nowMs, amount: more }]) };
  });
  return writeEntries(entries);
}

/**
 * The last part is joined to the one before if both are in one bucket. Of too many, the first two become one at the earlier
 * time: then less can be given back, and never more than was counted.
 */
function joined(policy: RatePolicy, parts: readonly CountedPart[]): readonly CountedPart[] {
  const [last, before] = parts.toReversed();
  if (last === undefined || before === undefined) return parts;
  if (bucketOf(policy, last.atMs) === bucketOf(policy, before.atMs)) {
    return [...parts.slice(0, -2), { atMs: before.atMs, amount: before.amount + last.amount }];
  }
  const [first, second, ...rest] = parts;
  if (parts.length <= MOST_PARTS || first === undefined || second === undefined) return parts;
  return [{ atMs: first.atMs, amount: first.amount + second.amount }, ...rest];
}
