import { NO_USAGE, roomOf, type Account, type Meter, type Usage } from "./meter.ts";
import { withHeld, withSpent } from "./usage.ts";

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
export function compareDrawOrder(a: CreditPack, b: CreditPack): number {
  return (
    a.priority - b.priority ||
    (a.expiresAtMs ?? Infinity) - (b.expiresAtMs ?? Infinity) ||
    a.meter.sinceMs - b.meter.sinceMs ||
    (a.meter.id < b.meter.id ? -1 : 1)
  );
}

/** The live packs of one customer as a single meter. */
export interface CreditPool extends Account {
  readonly usage: Usage;
  readonly packs: readonly Account[];
}

export function poolOf(customerId: string, packsInDrawOrder: readonly Account[]): CreditPool {
  const limit = packsInDrawOrder.reduce((sum, pack) => sum + (pack.meter.limit ?? 0n), 0n);
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
    // Packs also change one by one, when a reservation ends, so their sum is never stored separately.
    get usage() {
      return packsInDrawOrder.reduce(added, NO_USAGE);
    },
    packs: packsInDrawOrder,
  };
}

function added(sum: Usage, { usage }: Account): Usage {
  return { ...sum, spent: sum.spent + usage.spent, held: sum.held + usage.held };
}

export interface Draw {
  readonly pack: Account;
  readonly amount: bigint;
}

/** Takes an amount from the packs in order. Returns what they cannot cover. */
export function drawFrom(pool: CreditPool, amount: bigint): { draws: Draw[]; uncovered: bigint } {
  return takeFrom(partsOf(pool), amount, withSpent);
}

/** Reserves an amount in the packs from which it would be drawn now. */
export function holdFrom(pool: CreditPool, amount: bigint): Draw[] {
  return takeFrom(partsOf(pool), amount, withHeld).draws;
}

/** Draws from what was reserved, which is then free again, even in packs that have ended since. */
export function drawReserved(reserved: readonly Draw[], amount: bigint): Draw[] {
  return takeFrom(reserved, amount, withSpent).draws;
}

/** Each pack of a pool, with what is left of it. */
function partsOf({ packs }: CreditPool): Draw[] {
  return packs.map((pack) => ({ pack, amount: roomOf(pack) ?? 0n }));
}

/** Takes an amount from packs in order, and from none of them more than is given with it. */
function takeFrom(
  parts: readonly Draw[],
  amount: bigint,
  take: (usage: Usage, amount: bigint) => Usage,
): { draws: Draw[]; uncovered: bigint } {
  const draws: Draw[] = [];
  let rest = amount;
  for (const { pack, amount: most } of parts) {
    const taken = most < rest ? most : rest;
    if (taken <= 0n) continue;
    pack.usage = take(pack.usage, taken);
    draws.push({ pack, amount: taken });
    rest -= taken;
  }
  return { draws, uncovered: rest };
}
