import type { ExplainedCheck } from "../../contract/resources/explain.ts";
import type { MeterKind } from "../../contract/meter-kinds.ts";
import { amountOf, type Attempt, availableOf } from "../../domain/refusal/limit-denials.ts";
import { type Account, type Meter, totalSpent, unitOf, zoneOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { RateMeter, RateStanding } from "../../domain/rate/policy.ts";
import { quotaWindowEnd, formatPolicyAmount } from "../../domain/rate/policy.ts";
import { formatInZone } from "../../domain/time/zone.ts";

export type CheckName = ExplainedCheck["check"];

/** A check whose result is known, but not yet whether it is reached: an earlier one may refuse. */
export interface Candidate {
  readonly check: CheckName;
  readonly id: string | null;
  readonly name: string | null;
  /** Null if it is not made at all, for the reason in `why`. */
  readonly passes: boolean | null;
  readonly why: string;
  readonly amounts: Amounts;
}

/** What a check found. */
export type CheckOutcome = Pick<Candidate, "passes" | "why">;

export type Amounts = Pick<
  ExplainedCheck,
  "limit" | "spent" | "reserved" | "available" | "resets_at" | "as_of"
>;

export const NO_AMOUNTS: Amounts = {
  limit: null,
  spent: null,
  reserved: null,
  available: null,
  resets_at: null,
  as_of: null,
};

export const CHECK_OF: Readonly<Record<MeterKind, CheckName>> = {
  plan_runs: "plan",
  plan_tokens: "plan",
  chain_cost: "chain",
  chain_depth: "chain",
  chain_tokens: "chain",
  quota: "quota",
  spend_cap: "spend_cap",
  budget: "budget",
  customer_limit: "customer_limit",
  credits: "credits",
  credit_pack: "credits",
};

export function amountsOf(account: Account, now: number): Amounts {
  const { meter, usage, window } = account;
  const unit = unitOf(meter);
  const write = (amount: bigint) => (unit === "usd" ? formatUsd(amount) : Number(amount));
  const timeZone = zoneOf(meter);
  const isGauge = unit === "depth";
  return {
    limit: meter.limit === null ? null : write(meter.limit),
    spent: isGauge ? null : write(totalSpent(usage)),
    reserved: isGauge ? null : write(usage.held + usage.leased),
    available: meter.limit === null ? null : write(isGauge ? meter.limit : availableOf(account)),
    resets_at: window.endMs === null ? null : formatInZone(timeZone, window.endMs),
    as_of: new Date(now).toISOString(),
  };
}

/** Returns what an attempt takes from a limit, in words. */
export function describeAmount(meter: Meter, attempt: Attempt): string {
  const unit = unitOf(meter);
  const amount = amountOf(unit, attempt);
  if (unit === "usd") return `$${formatUsd(amount)}`;
  if (unit === "depth") return `a depth of ${amount}`;
  return `${amount} ${unit}`;
}

export function rateAmounts({ policy }: RateMeter, standing: RateStanding, now: number): Amounts {
  const waitsUntil = standing.waitMs > 0 ? now + standing.waitMs : null;
  const resetsAt = policy.kind === "quota" ? quotaWindowEnd(policy, now) : waitsUntil;
  return {
    limit: formatPolicyAmount(policy, policy.limit),
    spent: formatPolicyAmount(policy, standing.used),
    reserved: formatPolicyAmount(policy, 0),
    available: formatPolicyAmount(policy, Math.max(0, standing.room)),
    resets_at: resetsAt === null ? null : formatInZone("UTC", resetsAt),
    as_of: new Date(now).toISOString(),
  };
}

/** In order: checks after a refusal are not made. */
export function judgeChecks(candidates: readonly Candidate[]): ExplainedCheck[] {
  let refusing: Candidate | null = null;
  return candidates.map((candidate) => {
    const { passes, amounts, why, check, id, name } = candidate;
    const parts = { check, id, name, ...amounts };
    if (passes === null) return { ...parts, outcome: "skipped", why };
    if (refusing !== null) {
      return { ...parts, outcome: "skipped", why: `${labelOf(refusing)} refused before it.` };
    }
    if (!passes) refusing = candidate;
    return { ...parts, outcome: passes ? "passed" : "refused", why };
  });
}

function labelOf({ check, id }: Candidate): string {
  return id === null || id === check ? `The check ${check}` : `The check ${check} (${id})`;
}
