import type { RUN_CODES } from "../../contract/limit-codes.ts";
import { type DenialKind, METERS, type Phase, type Unit } from "../../contract/meter-kinds.ts";
import { asCount } from "../price/count.ts";
import { formatUsd } from "../price/money.ts";
import { type Account, countsGroups, roomOf, totalSpent, unitOf, zoneOf } from "../meter/meter.ts";
import { groupText, groupValues } from "../meter/traits.ts";
import { formatInZone } from "../time/zone.ts";

/** An attempt, in every unit that a meter can count. */
export interface Attempt {
  readonly nanos: bigint;
  readonly tokens: number;
  /** Runs from the start of the chain to this one, inclusive. 0 outside a chain. */
  readonly depth: number;
  /** The number of runs, if not one. */
  readonly runs?: number;
}

export type DenialCode = (typeof RUN_CODES)[number];

/** A refusal with the code and details of the contract. */
export interface Denial {
  readonly status: 402 | 429;
  readonly code: DenialCode;
  readonly details: Readonly<Record<string, Detail>>;
}

type Detail = string | number | null | Readonly<Record<string, string | null>>;

type DenialOf = (account: Account, attempt: Attempt, phase: Phase) => Denial;

/** The refusals of limits, in the contract's words. */
const DENIALS: Readonly<Record<DenialKind, DenialOf>> = {
  plan_runs: planDenial("runs"),
  plan_tokens: planDenial("tokens"),
  chain_cost: chainDenial("cost", 402),
  chain_depth: chainDenial("depth", 429),
  chain_tokens: chainDenial("tokens", 429),
  quota: quotaDenial,
  spend_cap: capDenial,
  budget: budgetDenial,
  credits: creditsDenial,
};

/** The refusal of a meter without room. */
export function denialOf(account: Account, attempt: Attempt, phase: Phase): Denial {
  return DENIALS[METERS[account.meter.kind].denial](account, attempt, phase);
}

/** How much of a meter an attempt takes. A depth is compared and takes nothing. */
export function amountOf(unit: Unit, attempt: Attempt): bigint {
  switch (unit) {
    case "usd":
      return attempt.nanos;
    case "tokens":
      return BigInt(attempt.tokens);
    case "depth":
      return BigInt(attempt.depth);
    case "runs":
    case "requests":
      return attempt.runs === undefined ? 1n : BigInt(attempt.runs);
    default:
      return unit satisfies never;
  }
}

function planDenial(limitKind: "runs" | "tokens"): DenialOf {
  return (account) => ({
    status: 402,
    code: "plan_limit_exceeded",
    details: {
      limit_kind: limitKind,
      limit: Number(account.meter.limit),
      used: asCount(totalSpent(account.usage)),
    },
  });
}

function chainDenial(reason: "cost" | "depth" | "tokens", status: 402 | 429): DenialOf {
  return (account, attempt) => {
    const write = reason === "cost" ? formatUsd : Number;
    const current = reason === "depth" ? BigInt(attempt.depth - 1) : totalSpent(account.usage);
    return {
      status,
      code: "chain_budget_exceeded",
      details: {
        reason,
        current: write(current),
        attempted: write(amountOf(unitOf(account.meter), attempt)),
        limit: write(account.meter.limit ?? 0n),
      },
    };
  };
}

function quotaDenial(account: Account, attempt: Attempt): Denial {
  return {
    status: 402,
    code: "quota_exhausted",
    details: {
      quota: "prepaid",
      available_usd: formatUsd(availableOf(account)),
      attempted_usd: formatUsd(attempt.nanos),
    },
  };
}

function creditsDenial(account: Account, attempt: Attempt): Denial {
  return {
    status: 402,
    code: "credits_exhausted",
    details: { available_usd: formatUsd(availableOf(account)), attempted_usd: formatUsd(attempt.nanos) },
  };
}

function capDenial(account: Account, _attempt: Attempt, phase: Phase): Denial {
  return {
    status: 402,
    code: "spend_cap_exceeded",
    details: {
      cap_usd: formatUsd(account.meter.limit ?? 0n),
      spent_usd: formatUsd(totalSpent(account.usage)),
      resets_at: formatInZone(zoneOf(account.meter), account.window.endMs ?? 0),
      ...(phase === "decision" ? { reason: "pre_flight" } : {}),
    },
  };
}

function budgetDenial(account: Account): Denial {
  const { meter } = account;
  const period = publishedPeriod(account);
  return {
    status: 402,
    code: "budget_exceeded",
    details: {
      budget_id: meter.id,
      scope_kind: meter.scope.kind,
      ...groupIn(account),
      ...budgetAmounts(account),
      ...period,
    },
  };
}

/** Dollars, and for a limit of its own unit that unit. */
export function budgetAmounts({
  meter,
  usage,
}: Pick<Account, "meter" | "usage">): Readonly<Record<string, Detail>> {
  const [limit, spent] = [meter.limit ?? 0n, totalSpent(usage)];
  const unit = unitOf(meter);
  if (unit === "usd") return { limit_usd: formatUsd(limit), spent_usd: formatUsd(spent) };
  const none = formatUsd(0n);
  return { limit_usd: none, spent_usd: none, unit, limit: asCount(limit), spent: asCount(spent) };
}

/** Returns which of a limit's counters it is. */
export function groupIn({ meter, subject }: Pick<Account, "meter" | "subject">) {
  if (meter.match === undefined || !countsGroups(meter)) return {};
  return { group: groupText(subject), group_values: groupValues(meter.match.groupBy, subject) };
}

/** Returns what is left. Zero if facts exceeded the limit, because an amount has no sign. */
export function availableOf(account: Account): bigint {
  const room = roomOf(account) ?? 0n;
  return room < 0n ? 0n : room;
}

/** A period that never resets starts when its limit was created. */
export function publishedPeriod({ meter, window }: Pick<Account, "meter" | "window">) {
  const startMs = window.endMs === null ? meter.sinceMs : window.startMs;
  return {
    period_start: new Date(startMs).toISOString(),
    period_end: window.endMs === null ? null : new Date(window.endMs).toISOString(),
  };
}
