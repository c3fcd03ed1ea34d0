import { type CreditPool, drawFrom } from "./credit.ts";
import type { Account, Usage } from "./meter.ts";
import { excessOf, withFact } from "./usage.ts";

/** The amounts that were charged to a customer's credits, and the part that they could not cover. */
export interface CreditBack {
  readonly draws: ReadonlyMap<string, bigint>;
  readonly uncovered: bigint;
}

/**
 * Charges an amount to a limit even if it has no room, or gives an amount back. Returns the part that was over the
 * limit.
 */
export function adjustAccount(account: Account, amount: bigint): bigint {
  const { usage, meter } = account;
  if (amount < 0n) {
    account.usage = withGivenBack(usage, -amount);
    return account.usage.over - usage.over;
  }
  account.usage = withFact(usage, amount, meter.limit);
  return excessOf(usage, amount, meter.limit);
}

/** The part over the limit is given back first. A period can be given back more than was spent in it. */
function withGivenBack(usage: Usage, amount: bigint): Usage {
  const over = usage.over < amount ? usage.over : amount;
  return { ...usage, over: usage.over - over, spent: usage.spent - (amount - over) };
}

/** Draws an amount from the customer's current credits. */
export function drawMore(pool: CreditPool | undefined, amount: bigint): CreditBack {
  if (pool === undefined) return { draws: new Map(), uncovered: 0n };
  const { draws, uncovered } = drawFrom(pool, amount);
  return { draws: new Map(draws.map(({ pack, amount: drawn }) => [pack.meter.id, drawn])), uncovered };
}

/**
 * Returns an amount to the credits that it came from: first what they could not cover, then to the packs, last drawn
 * first, and never more than was drawn from each.
 */
export function giveBack({ draws, uncovered }: CreditBack, amount: bigint): CreditBack {
  const fromUncovered = less(uncovered, amount);
  let rest = amount - fromUncovered;
  const back = new Map<string, bigint>();
  for (const [pack, drawn] of [...draws].reverse()) {
    const part = less(drawn, rest);
    if (part > 0n) back.set(pack, -part);
    rest -= part;
  }
  return { draws: back, uncovered: -fromUncovered };
}

function less(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
