import type { Usage } from "./meter.ts";

/** The moves of usage. Each takes one usage and gives the next; whoever calls has asked for room first. */

export function withSpent(usage: Usage, amount: bigint): Usage {
  return { ...usage, spent: usage.spent + amount };
}

export function withHeld(usage: Usage, amount: bigint): Usage {
  return { ...usage, held: usage.held + amount };
}

export function withoutHeld(usage: Usage, amount: bigint): Usage {
  return { ...usage, held: atLeastZero(usage.held - amount, "held") };
}

/** A fact is charged whatever the limit says: what fits is spent, the rest is counted as over. */
export function withFact(usage: Usage, amount: bigint, limit: bigint | null): Usage {
  if (limit === null) return withSpent(usage, amount);
  const room = limit - usage.spent - usage.over - usage.held - usage.leased;
  const fits = room <= 0n ? 0n : room < amount ? room : amount;
  return { ...usage, spent: usage.spent + fits, over: usage.over + amount - fits };
}

/** A lease sets a slice aside before an isolate may use it. */
export function withLeased(usage: Usage, amount: bigint): Usage {
  return { ...usage, leased: usage.leased + amount };
}

/** What an isolate held from its slice becomes a hold: the sum of what is set aside stays as it was. */
export function leaseToHold(usage: Usage, amount: bigint): Usage {
  return { ...usage, leased: atLeastZero(usage.leased - amount, "leased"), held: usage.held + amount };
}

/** The unused rest of a slice comes back. */
export function withoutLeased(usage: Usage, amount: bigint): Usage {
  return { ...usage, leased: atLeastZero(usage.leased - amount, "leased") };
}

/** Giving back more than was taken would mint room out of nothing: a fault of ours, never to be rounded away. */
function atLeastZero(value: bigint, what: string): bigint {
  if (value < 0n) throw new Error(`${what} would become ${value}`);
  return value;
}
