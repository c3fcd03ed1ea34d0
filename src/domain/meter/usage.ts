import { totalSpent, type Usage } from "./meter.ts";

/** Changes of usage. Each takes a usage and returns the next. The caller has already checked that there is room. */

export function withSpent(usage: Usage, amount: bigint): Usage {
  return { ...usage, spent: usage.spent + amount };
}

export function withHeld(usage: Usage, amount: bigint): Usage {
  return { ...usage, held: usage.held + amount };
}

export function withoutHeld(usage: Usage, amount: bigint): Usage {
  return { ...usage, held: atLeastZero(usage.held - amount, "held") };
}

/** A fact is charged even over the limit: what fits is spent, the rest is counted as over. */
export function withFact(usage: Usage, amount: bigint, limit: bigint | null): Usage {
  if (limit === null) return withSpent(usage, amount);
  const room = limit - usage.spent - usage.over - usage.held - usage.leased;
  const fits = room <= 0n ? 0n : room < amount ? room : amount;
  return { ...usage, spent: usage.spent + fits, over: usage.over + amount - fits };
}

/**
 * The part of a fact that brings spending past the limit. Reservations do not count here, because they may be settled
 * for less. Each dollar over a limit is found once, by the fact that spends it.
 */
export function excessOf(usage: Usage, amount: bigint, limit: bigint | null): bigint {
  if (limit === null) return 0n;
  const past = totalSpent(usage) + amount - limit;
  if (past <= 0n) return 0n;
  return past < amount ? past : amount;
}

/** A lease reserves a slice before an isolate may use it. */
export function withLeased(usage: Usage, amount: bigint): Usage {
  return { ...usage, leased: usage.leased + amount };
}

/** Takes back what an isolate has used of a slice, or no longer needs. */
export function withoutLeased(usage: Usage, amount: bigint): Usage {
  return { ...usage, leased: atLeastZero(usage.leased - amount, "leased") };
}

/** Returning more than was taken would create room out of nothing. That is a bug and must not be clamped. */
function atLeastZero(value: bigint, what: string): bigint {
  if (value < 0n) throw new Error(`${what} would become ${value}`);
  return value;
}
