import { NO_USAGE, roomOf, type Account, type Meter } from "./meter.ts";
import { withSpent } from "./usage.ts";

/** A customer's credits. Packs are used one after another and never go negative. */
export interface CreditPack {
  readonly meter: Meter;
  readonly priority: number;
  readonly effectiveAtMs: number;
  readonly expiresAtMs: number | null;
  readonly voidedAtMs: number | null;
}

/** A pack is live if it is effective, not expired and not voided, even if nothing is left of it. */
export function isLive(pack: CreditPack, nowMs: number): boolean {
  if (pack.voidedAtMs !== null || pack.effectiveAtMs > nowMs) return false;
  return pack.expiresAtMs === null || pack.expiresAtMs > nowMs;
}

/** By priority (lowest number first), then expiry (packs without one come last), then age. */
export function inDrawOrder(a: CreditPack, b: CreditPack): number {
  return (
    a.priority - b.priority ||
    (a.expiresAtMs ?? Infinity) - (b.expiresAtMs ?? Infinity) ||
    a.meter.sinceMs - b.meter.sinceMs ||
    (a.meter.id < b.meter.id ? -1 : 1)
  );
}

/** The live packs of one customer as a single meter. */
export interface CreditPool extends Account {
  readonly packs: readonly Account[];
}

export function poolOf(customerId: string, packsInDrawOrder: readonly Account[]): CreditPool {
  const limit = packsInDrawOrder.reduce((sum, pack) => sum + (pack.meter.limit ?? 0n), 0n);
  const spent = packsInDrawOrder.reduce((sum, pack) => sum + pack.usage.spent, 0n);
  return {
    meter: {
      id: "credits",
      kind: "credits",
      scope: { kind: "customer", id: customerId },
      limit,
      window: { kind: "period", period: "total" },
      mode: "enforce",
      sinceMs: 0,
    },
    subject: customerId,
    window: { startMs: 0, endMs: null },
    usage: { ...NO_USAGE, spent },
    packs: packsInDrawOrder,
  };
}

export interface Draw {
  readonly pack: Account;
  readonly amount: bigint;
}

/** Takes an amount from the packs in order. Returns what they cannot cover. */
export function drawFrom(pool: CreditPool, amount: bigint): { draws: Draw[]; uncovered: bigint } {
  const draws: Draw[] = [];
  let rest = amount;
  for (const pack of pool.packs) {
    if (rest === 0n) break;
    const left = roomOf(pack) ?? 0n;
    const taken = left < rest ? left : rest;
    if (taken <= 0n) continue;
    pack.usage = withSpent(pack.usage, taken);
    draws.push({ pack, amount: taken });
    rest -= taken;
  }
  pool.usage = withSpent(pool.usage, amount - rest);
  return { draws, uncovered: rest };
}
