import type { DetailsOf } from "../../contract/error-details.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { RateMeter, RatePolicy, RateStanding } from "./policy.ts";
import { formatUsd } from "../price/money.ts";
import { quotaWindow, retryAfterSeconds } from "./sliding-window.ts";
import { formatInZone } from "../time/zone.ts";

/** One policy, its state, and what a call takes from it. */
export interface RateRequest {
  readonly meter: RateMeter;
  readonly standing: RateStanding;
  readonly amount: number;
}

type RateRefusal = Refusal<"rate_limited" | "quota_exhausted">;

/**
 * The refusal of a call, given the state of each policy that applies. Null if none is full. If several sliding windows
 * are full, it names the longest wait, so that waiting helps. The contract requires a wait on every `rate_limited`. If
 * the amount is more than the whole limit, the wait is the window, and the refusal says that no wait helps.
 */
export function rateRefusal(asked: readonly RateRequest[], nowMs: number): RateRefusal | null {
  const full = asked.filter(({ standing }) => standing.waitMs > 0);
  const [first] = full;
  if (first === undefined) return null;
  return first.meter.policy.kind === "rate" ? slidingRefusal(full) : quotaRefusal(first, nowMs);
}

function slidingRefusal(full: readonly RateRequest[]): RateRefusal {
  const sliding = full.filter(({ meter }) => meter.policy.kind === "rate");
  const last = sliding.reduce((one, other) => (other.standing.waitMs > one.standing.waitMs ? other : one));
  const seconds = retryAfterSeconds(last.standing.waitMs);
  const details = { retry_after_seconds: seconds };
  const never = sliding.find(({ meter, amount }) => isMoreThanAll(meter.policy, amount));
  if (never === undefined) return refuse("rate_limited", details, { limit: last.meter.policy.id });
  const { policy } = never.meter;
  const most =
    policy.unit === "usd"
      ? { limit_usd: usdOf(policy.limit), attempted_usd: usdOf(never.amount) }
      : { limit: policy.limit, attempted: never.amount };
  return refuse("rate_limited", { ...details, ...most }, { message: moreThanAll(never), limit: policy.id });
}

function quotaRefusal(asked: RateRequest, nowMs: number): RateRefusal {
  const { policy } = asked.meter;
  const isNever = isMoreThanAll(policy, asked.amount);
  const window = {
    policy_id: policy.id,
    window_seconds: policy.window_seconds,
    resets_at: formatInZone("UTC", quotaWindow(policy.window_seconds, nowMs).endMs),
  };
  const details: DetailsOf<"quota_exhausted"> =
    policy.unit === "usd"
      ? {
          quota: "window",
          unit: "usd",
          ...window,
          limit_usd: usdOf(policy.limit),
          used_usd: usdOf(asked.standing.used),
          ...(isNever ? { attempted_usd: usdOf(asked.amount) } : {}),
        }
      : {
          quota: "window",
          ...window,
          limit: policy.limit,
          used: asked.standing.used,
          ...(isNever ? { attempted: asked.amount } : {}),
        };
  const retry = { status: 429, retryAfterSeconds: retryAfterSeconds(asked.standing.waitMs) } as const;
  return refuse("quota_exhausted", details, isNever ? { ...retry, message: moreThanAll(asked) } : retry);
}

/** Returns whether an amount does not fit into a limit even if nothing is used. */
export function isMoreThanAll({ limit }: RatePolicy, amount: number): boolean {
  return amount > limit;
}

function usdOf(nanos: number): string {
  return formatUsd(BigInt(Math.round(nanos)));
}

function moreThanAll({ meter: { policy }, amount }: RateRequest): string {
  const { unit, limit, window_seconds: seconds } = policy;
  const asked = { usd: `$${usdOf(amount)}`, tokens: `${amount} tokens`, requests: `${amount} request` }[unit];
  const whole = unit === "usd" ? `$${usdOf(limit)}` : `${limit} ${unit}`;
  return `This call asks for ${asked}, more than the whole limit of ${whole} in ${seconds} seconds. Waiting does not help: ask for less, or have the limit raised.`;
}
