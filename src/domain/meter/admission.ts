import { type CreditPool, type Draw, drawFrom, holdFrom } from "./credit.ts";
import { isAddedUp } from "../../contract/meter-kinds.ts";
import { amountOf, type Attempt } from "../refusal/limit-denials.ts";
import { type Account, hasRoomFor, unitOf } from "./meter.ts";
import { excessOf, withFact, withHeld, withSpent } from "./usage.ts";

/** The answer to whether an attempt may go ahead. It changes nothing. */
export interface Verdict {
  /** The first meter without room, in the order of refusal. Null allows the attempt. */
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
 * Returns whether every meter has room for the sum of many attempts. Then none of them is refused in any order, and
 * charging the sum equals charging each. Always false for meters that must judge one by one: depths and credit packs.
 */
export function hasRoomForAll(accounts: Iterable<Account>, attempts: Attempt): boolean {
  for (const account of accounts) {
    if (!isAddedUp(account.meter.kind) || !fits(account, attempts)) return false;
  }
  return true;
}

/** Side results of a charge: packs used, what they could not cover, and limits that a fact exceeded. */
export interface ChargeResult {
  readonly draws: readonly Draw[];
  readonly uncovered: bigint;
  readonly over: readonly { readonly account: Account; readonly amount: bigint }[];
}

/** Takes an admitted attempt from every meter it touches. */
export function charge(accounts: readonly Account[], attempt: Attempt): ChargeResult {
  let drawn: ReturnType<typeof drawFrom> | undefined;
  for (const account of accounts) {
    const unit = unitOf(account.meter);
    if (unit === "depth") continue;
    const amount = amountOf(unit, attempt);
    if (isPool(account)) drawn = drawFrom(account, amount);
    else if (account.meter.mode === "enforce") account.usage = withSpent(account.usage, amount);
    // If a meter does not enforce, the part over its limit is counted separately, as for a fact.
    else account.usage = withFact(account.usage, amount, account.meter.limit);
  }
  return drawn === undefined ? NOTHING_MORE : { ...drawn, over: [] };
}

export const NOTHING_MORE: ChargeResult = { draws: [], uncovered: 0n, over: [] };

/**
 * Charges a fact. No meter can refuse it, and the part over a limit is reported. `reserved` is what was drawn from
 * credits that were reserved for it.
 */
export function chargeFact(
  accounts: readonly Account[],
  attempt: Attempt,
  reserved: readonly Draw[] = [],
): ChargeResult {
  let drawn: ReturnType<typeof drawFrom> = { draws: [], uncovered: 0n };
  const over: { account: Account; amount: bigint }[] = [];
  for (const account of accounts) {
    const unit = unitOf(account.meter);
    const amount = amountOf(unit, attempt);
    if (unit === "depth") {
      if (!fits(account, attempt)) over.push({ account, amount: amount - (account.meter.limit ?? 0n) });
      continue;
    }
    if (isPool(account)) {
      drawn = drawFrom(account, amount - sumOf(reserved));
      if (drawn.uncovered > 0n) over.push({ account, amount: drawn.uncovered });
      continue;
    }
    const excess = excessOf(account.usage, amount, account.meter.limit);
    account.usage = withFact(account.usage, amount, account.meter.limit);
    if (excess > 0n && account.meter.mode === "enforce") over.push({ account, amount: excess });
  }
  return { draws: together(reserved, drawn.draws), uncovered: drawn.uncovered, over };
}

function sumOf(draws: readonly Draw[]): bigint {
  return draws.reduce((sum, { amount }) => sum + amount, 0n);
}

/** One draw for each pack. */
function together(reserved: readonly Draw[], drawn: readonly Draw[]): readonly Draw[] {
  const sums = new Map<string, Draw>();
  for (const { pack, amount } of [...reserved, ...drawn]) {
    sums.set(pack.meter.id, { pack, amount: amount + (sums.get(pack.meter.id)?.amount ?? 0n) });
  }
  return [...sums.values()];
}

/** Reserves an admitted attempt in every meter it touches. Returns what it reserves of which credit packs. */
export function holdAll(accounts: readonly Account[], attempt: Attempt): readonly Draw[] {
  let packs: readonly Draw[] = [];
  for (const account of accounts) {
    const unit = unitOf(account.meter);
    if (unit === "depth") continue;
    const amount = amountOf(unit, attempt);
    if (isPool(account)) packs = holdFrom(account, amount);
    else account.usage = withHeld(account.usage, amount);
  }
  return packs;
}

function fits(account: Account, attempt: Attempt): boolean {
  const unit = unitOf(account.meter);
  const amount = amountOf(unit, attempt);
  if (unit === "depth") return account.meter.limit === null || amount <= account.meter.limit;
  return hasRoomFor(account, amount);
}

export function isPool(account: Account): account is CreditPool {
  return account.meter.kind === "credits";
}
