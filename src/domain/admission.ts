import { type CreditPool, type Draw, drawFrom } from "./credit.ts";
import { amountOf, type Attempt, type Denial, KINDS, type Phase } from "./kinds.ts";
import { type Account, hasRoomFor } from "./meter.ts";
import { withFact, withHeld, withSpent } from "./usage.ts";

/** Whether an attempt may go ahead. Nothing is taken yet: asking changes nothing. */
export interface Verdict {
  /** The first meter, in order of refusal, that has no room; null lets it through. */
  readonly refusedBy: Account | null;
  /** Meters in shadow that would have refused. */
  readonly shadow: readonly Account[];
}

export function admit(accounts: readonly Account[], attempt: Attempt): Verdict {
  let shadow: Account[] | undefined;
  for (const account of accounts) {
    if (fits(account, attempt) || account.meter.mode === "count") continue;
    if (account.meter.mode === "enforce") return { refusedBy: account, shadow: [] };
    (shadow ??= []).push(account);
  }
  return { refusedBy: null, shadow: shadow ?? NONE };
}

const NONE: readonly Account[] = [];

/**
 * Whether there is room everywhere for many attempts, given as one: then none of them is refused, in whatever order they
 * come, and charging them as one is charging each. Never said of what is judged one by one: depths, and packs to draw from.
 */
export function hasRoomForAll(accounts: Iterable<Account>, attempts: Attempt): boolean {
  for (const account of accounts) {
    if (JUDGED_ALONE.has(account.meter.kind) || !fits(account, attempts)) return false;
  }
  return true;
}

const JUDGED_ALONE: ReadonlySet<Account["meter"]["kind"]> = new Set([
  "chain_depth",
  "credits",
  "credit_pack",
]);

/** A meter without room, in the contract's words. */
export function denialOf(account: Account, attempt: Attempt, phase: Phase): Denial {
  return KINDS[account.meter.kind].denial(account, attempt, phase);
}

/** What a charge did beyond adding up: packs drawn, what they could not cover, limits a fact went past. */
export interface Charged {
  readonly draws: readonly Draw[];
  readonly uncovered: bigint;
  readonly over: readonly { readonly account: Account; readonly amount: bigint }[];
}

/** Takes an admitted attempt from every meter it touches. */
export function charge(accounts: readonly Account[], attempt: Attempt): Charged {
  let drawn: ReturnType<typeof drawFrom> | undefined;
  for (const account of accounts) {
    const { unit } = KINDS[account.meter.kind];
    if (unit === "depth") continue;
    const amount = amountOf(unit, attempt);
    if (isPool(account)) drawn = drawFrom(account, amount);
    else if (account.meter.mode === "enforce") account.usage = withSpent(account.usage, amount);
    // Past the limit of a meter that does not enforce, the rest is counted apart, as for a fact.
    else account.usage = withFact(account.usage, amount, account.meter.limit);
  }
  return drawn === undefined ? NOTHING_MORE : { ...drawn, over: [] };
}

export const NOTHING_MORE: Charged = { draws: [], uncovered: 0n, over: [] };

/** Charges what has already happened: no meter can refuse it, and what passes a limit is counted apart. */
export function chargeFact(accounts: readonly Account[], attempt: Attempt): Charged {
  let drawn: ReturnType<typeof drawFrom> = { draws: [], uncovered: 0n };
  const over: { account: Account; amount: bigint }[] = [];
  for (const account of accounts) {
    const { unit } = KINDS[account.meter.kind];
    const amount = amountOf(unit, attempt);
    if (unit === "depth") {
      if (!fits(account, attempt)) over.push({ account, amount: amount - (account.meter.limit ?? 0n) });
      continue;
    }
    if (isPool(account)) {
      drawn = drawFrom(account, amount);
      if (drawn.uncovered > 0n) over.push({ account, amount: drawn.uncovered });
      continue;
    }
    const before = account.usage.over;
    account.usage = withFact(account.usage, amount, account.meter.limit);
    const excess = account.usage.over - before;
    if (excess > 0n && account.meter.mode === "enforce") over.push({ account, amount: excess });
  }
  return { ...drawn, over };
}

/** Sets an admitted attempt aside in every meter it touches. */
export function holdAll(accounts: readonly Account[], attempt: Attempt): void {
  for (const account of accounts) {
    account.usage = withHeld(account.usage, amountOf(KINDS[account.meter.kind].unit, attempt));
  }
}

function fits(account: Account, attempt: Attempt): boolean {
  const { unit } = KINDS[account.meter.kind];
  const amount = amountOf(unit, attempt);
  if (unit === "depth") return account.meter.limit === null || amount <= account.meter.limit;
  return hasRoomFor(account, amount);
}

function isPool(account: Account): account is CreditPool {
  return account.meter.kind === "credits";
}
