import type { NewRateLimits, RateLimits } from "../../contract/resources/rate-limits.ts";
import { formatUsd, parseUsd } from "../price/money.ts";
import { looksAtBody, rateSubject } from "./match.ts";
import type { CallNames } from "../meter/traits.ts";
import { quotaWindow, slidingWindow, type BucketAmount, usageInWindow, waitMs } from "./sliding-window.ts";

type ShownPolicy = RateLimits["policies"][number];

/** A limit on the rate: sliding (`rate`) or in fixed windows (`quota`), in requests, tokens or dollars. */
export interface RatePolicy extends Omit<ShownPolicy, "limit" | "limit_usd"> {
  /** The limit. One in dollars is in nano-dollars. */
  readonly limit: number;
}

/** The rate limits of an org. */
export interface StoredLimits {
  readonly read_rpm: number | null;
  readonly policies: readonly RatePolicy[];
}

/** A policy as an operator sets it. */
export function ratePolicyOf(
  id: string,
  { limit, limit_usd: exact, ...policy }: NewRateLimits["policies"][number],
): RatePolicy {
  const isUsd = policy.unit === "usd";
  return { id, ...policy, limit: isUsd ? Number(parseUsd(exact ?? String(limit)) ?? 0n) : Number(limit) };
}

export function showPolicy(policy: RatePolicy): ShownPolicy {
  const { limit } = policy;
  if (policy.unit !== "usd") return policy;
  return { ...policy, limit: wholeOf(policy, limit), limit_usd: formatUsd(BigInt(limit)) };
}

const NANOS_PER_USD = 1_000_000_000;

/** A whole number of what a policy counts: of dollars, rounded down. */
export function wholeOf({ unit }: Pick<RatePolicy, "unit">, amount: number): number {
  return unit === "usd" ? Math.floor(amount / NANOS_PER_USD) : amount;
}

/** The same in dollars, if the policy counts them. */
export function usdOf(
  { unit }: Pick<RatePolicy, "unit">,
  amount: number | null,
): { used_usd?: string | null } {
  if (unit !== "usd") return {};
  return { used_usd: amount === null ? null : formatUsd(BigInt(Math.round(amount))) };
}

/** An amount that a policy counts, as texts say it. */
export function formatPolicyAmount({ unit }: Pick<RatePolicy, "unit">, amount: number): number | string {
  return unit === "usd" ? formatUsd(BigInt(Math.round(amount))) : amount;
}

/** Returns what a policy counts of a call that may cost so much and use so many tokens. */
export function rateAmount(
  { unit }: RatePolicy,
  { nanos, tokens }: { readonly nanos: number; readonly tokens: number },
): number {
  if (unit === "usd") return nanos;
  return unit === "tokens" ? tokens : 1;
}

/** The properties of a request that a policy can match. */
export interface RateSubject {
  /** `POST /v1/edge/decision`. */
  readonly route: string;
  readonly keyId: string;
  /** The names in its body. If missing, it is not read yet, and only policies that do not look at it apply. */
  readonly names?: CallNames | undefined;
  /** Only policies that name the route apply. */
  readonly byRouteOnly?: boolean;
}

/** One policy for one request. */
export interface RateMeter {
  readonly policy: RatePolicy;
  /** The subject that is counted. */
  readonly key: string;
}

/** The policy that represents an org's read limit. It has no row of its own. */
export function readPolicy(perMinute: number): RatePolicy {
  return {
    id: "read",
    name: "read",
    match: {},
    unit: "requests",
    limit: perMinute,
    window_seconds: 60,
    kind: "rate",
  };
}

/** Returns whether the request line and the key are enough to tell if a policy applies, and for how much. */
export function needsNoBody(policy: RatePolicy): boolean {
  return policy.unit === "requests" && !looksAtBody(policy.match);
}

/** The policies that apply to a request, sliding windows first. This is the order in which they refuse. */
export function rateMetersFor(policies: readonly RatePolicy[], subject: RateSubject): RateMeter[] {
  const meters: RateMeter[] = [];
  const names = { ...subject.names, key_id: subject.keyId };
  for (const policy of policies) {
    const { route, key_id: keyId } = policy.match;
    if (route === undefined ? subject.byRouteOnly === true : route !== subject.route) continue;
    if (keyId !== undefined && keyId !== subject.keyId) continue;
    const meter = meterOf(policy, names);
    if (meter !== null) meters.push(meter);
  }
  return meters.sort((left, right) => rank(left) - rank(right));
}

/** The counter of a policy in which a call is, by its key and what its body says. Null if the policy does not apply to it. */
export function meterOf(policy: RatePolicy, names: CallNames): RateMeter | null {
  const subject = rateSubject(policy.match, names);
  if (subject === null) return null;
  return { policy, key: subject === "" ? policy.id : `${policy.id} ${subject}` };
}

/** Returns whose counter it is. Empty if there is one for all. */
export function subjectIn({ policy, key }: RateMeter): string {
  return key.slice(policy.id.length + 1);
}

function rank({ policy }: RateMeter): number {
  return policy.kind === "rate" ? 0 : 1;
}

/** The bucket of an amount: a part of a sliding window, or the whole of a fixed one. */
export function bucketOf(policy: RatePolicy, atMs: number): number {
  if (policy.kind === "quota") return quotaWindow(policy.window_seconds, atMs).startMs;
  return Math.floor(atMs / slidingWindow(policy.window_seconds).bucketMs);
}

/** The oldest bucket that still counts. */
export function firstBucket(policy: RatePolicy, nowMs: number): number {
  if (policy.kind === "quota") return quotaWindow(policy.window_seconds, nowMs).startMs;
  const { windowMs, bucketMs } = slidingWindow(policy.window_seconds);
  return Math.floor((nowMs - windowMs) / bucketMs);
}

/** The key under which a slice of a meter is leased. A quota's slice belongs to one window. */
export function leaseKey({ policy, key }: RateMeter, nowMs: number): string {
  const window = policy.kind === "quota" ? quotaWindow(policy.window_seconds, nowMs).startMs : "";
  return `rate\n${window}\n${key}`;
}

export function isRateKey(key: string): boolean {
  return key.startsWith("rate\n");
}

/** The policy, and whose counter it is. */
export function leaseKeyIds(key: string): [id: string, subject: string] {
  const meter = key.slice(key.indexOf("\n", "rate\n".length) + 1);
  const space = meter.indexOf(" ");
  return space < 0 ? [meter, ""] : [meter.slice(0, space), meter.slice(space + 1)];
}

export function quotaWindowEnd(policy: RatePolicy, nowMs: number): number {
  return quotaWindow(policy.window_seconds, nowMs).endMs;
}

/** The current state of a policy. */
export interface RateStanding {
  readonly used: number;
  readonly room: number;
  /**
   * The wait until `amount` fits. 0 if it fits now. An amount above the limit never fits; then it is the rest of a
   * fixed window, or the whole of a sliding one.
   */
  readonly waitMs: number;
}

export function standingOf(
  policy: RatePolicy,
  taken: readonly BucketAmount[],
  { amount, nowMs }: { readonly amount: number; readonly nowMs: number },
): RateStanding {
  if (policy.kind === "quota") {
    const { startMs, endMs } = quotaWindow(policy.window_seconds, nowMs);
    let used = 0;
    for (const [bucket, count] of taken) if (bucket === startMs) used += count;
    const room = policy.limit - used;
    return { used, room, waitMs: amount === 0 || amount <= room ? 0 : endMs - nowMs };
  }
  const window = slidingWindow(policy.window_seconds);
  const used = usageInWindow(window, taken, nowMs);
  // Facts may have exceeded the limit. A request that takes nothing still does not wait.
  const wait =
    amount === 0 ? 0 : (waitMs(window, taken, { limit: policy.limit, amount, nowMs }) ?? window.windowMs);
  return { used, room: policy.limit - used, waitMs: wait };
}

/** The IETF `RateLimit-Policy` header: the policies that apply. */
export function policyHeader(policies: readonly RatePolicy[]): string {
  return policies
    .map(({ name, limit, window_seconds }) => `${quoted(name)};q=${limit};w=${window_seconds}`)
    .join(", ");
}

/** The IETF `RateLimit` header: what is left, and the seconds until there is more. */
export function limitHeader(name: string, room: number, moreInMs: number): string {
  return `${quoted(name)};r=${Math.max(0, room)};t=${Math.ceil(moreInMs / 1000)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}
