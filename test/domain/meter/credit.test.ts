import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, charge, chargeFact, holdAll } from "../../../src/domain/meter/admission.ts";
import {
  compareDrawOrder,
  type CreditPack,
  type Draw,
  drawReserved,
  isLive,
  poolOf,
} from "../../../src/domain/meter/credit.ts";
import { type Account, type Meter, NO_USAGE, roomOf } from "../../../src/domain/meter/meter.ts";
import { withoutHeld } from "../../../src/domain/meter/usage.ts";
import { PackModel } from "../../support/pack-model.ts";

function packOf(
  id: string,
  limit: bigint,
  pack: Partial<CreditPack> & { sinceMs?: number } = {},
): CreditPack {
  const meter: Meter = {
    id,
    kind: "credit_pack",
    scope: { kind: "customer", id: "c" },
    limit,
    window: { kind: "period", period: "total" },
    mode: "enforce",
    sinceMs: pack.sinceMs ?? 0,
  };
  return { meter, priority: 0, effectiveAtMs: 0, expiresAtMs: null, voidedAtMs: null, ...pack };
}

function accountOf({ meter }: CreditPack): Account {
  return { meter, subject: "", window: { startMs: 0, endMs: null }, usage: NO_USAGE };
}

const usd = (nanos: bigint) => ({ nanos, tokens: 0, depth: 0 });
const amounts = fc.array(fc.bigInt({ min: 0n, max: 40n }));
const sizes = fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1, maxLength: 5 });
const step = fc.record({
  kind: fc.constantFrom("reserve", "reserve", "settle", "release", "run", "incurred"),
  nanos: fc.bigInt({ min: 0n, max: 40n }),
  at: fc.nat(20),
});

describe("credit packs", () => {
  test("never go negative, and granted is always remaining plus spent", () => {
    fc.assert(
      fc.property(sizes, amounts, fc.boolean(), (limits, charges, fact) => {
        const packs = limits.map((limit, i) => accountOf(packOf(`p${i}`, limit)));
        const pool = poolOf("c", packs);
        let charged = 0n;
        for (const nanos of charges) {
          if (!fact && admit([pool], usd(nanos)).refusedBy !== null) continue;
          const { draws, uncovered } = (fact ? chargeFact : charge)([pool], usd(nanos));
          expect(draws.reduce((sum, draw) => sum + draw.amount, uncovered)).toBe(nanos);
          expect(fact || uncovered === 0n).toBe(true);
          charged += nanos - uncovered;
        }
        for (const pack of packs) expect(roomOf(pack)).toBeGreaterThanOrEqual(0n);
        expect(packs.reduce((sum, pack) => sum + pack.usage.spent, 0n)).toBe(charged);
        expect(pool.usage.spent).toBe(charged);
      }),
    );
  });

  test("hold and spend together never more than their amounts, whichever reservations are open", () => {
    fc.assert(
      fc.property(sizes, fc.array(step, { maxLength: 40 }), (limits, steps) => {
        const packs = limits.map((limit, i) => accountOf(packOf(`p${i}`, limit)));
        const pool = poolOf("c", packs);
        const model = new PackModel(limits);
        const open: (readonly Draw[])[] = [];
        const giveBack = (draws: readonly Draw[]) => {
          for (const { pack, amount } of draws) pack.usage = withoutHeld(pack.usage, amount);
        };
        for (const { kind, nanos, at } of steps) {
          const isAdmitted = admit([pool], usd(nanos)).refusedBy === null;
          if (kind === "reserve" || kind === "run") {
            expect(isAdmitted).toBe(kind === "reserve" ? model.reserve(nanos) : model.run(nanos));
            if (isAdmitted && kind === "reserve") open.push(holdAll([pool], usd(nanos)));
            else if (isAdmitted) charge([pool], usd(nanos));
          } else if (kind === "incurred") {
            expect(chargeFact([pool], usd(nanos)).uncovered).toBe(model.incurred(nanos));
          } else if (open.length > 0) {
            const [draws = []] = open.splice(at % open.length, 1);
            giveBack(draws);
            if (kind === "release") model.release(at);
            else {
              const fact = chargeFact([pool], usd(nanos), drawReserved(draws, nanos));
              expect(fact.uncovered).toBe(model.settle(at, nanos));
            }
          }
          expect(packs.map(({ usage: { spent, held } }) => ({ spent, held }))).toEqual(model.packs());
        }
      }),
    );
  });

  test("are used by priority, then expiry, then age", () => {
    const packs = [
      packOf("young", 1n, { priority: 1, sinceMs: 9 }),
      packOf("old", 1n, { priority: 1, sinceMs: 1 }),
      packOf("expiring", 1n, { priority: 1, expiresAtMs: 99, sinceMs: 50 }),
      packOf("first", 1n, { priority: 0, sinceMs: 80 }),
    ];
    expect(packs.toSorted(compareDrawOrder).map(({ meter }) => meter.id)).toEqual([
      "first",
      "expiring",
      "old",
      "young",
    ]);
  });

  test("are used one after another for a charge", () => {
    const packs = [accountOf(packOf("a", 3n)), accountOf(packOf("b", 5n))];
    const { draws } = charge([poolOf("c", packs)], usd(4n));
    expect(draws.map(({ pack, amount }) => [pack.meter.id, amount])).toEqual([
      ["a", 3n],
      ["b", 1n],
    ]);
  });

  test("are live from their start to their expiry unless voided, even with nothing left", () => {
    const pack = packOf("p", 0n, { effectiveAtMs: 10, expiresAtMs: 20 });
    expect([9, 10, 19, 20].map((now) => isLive(pack, now))).toEqual([false, true, true, false]);
    expect(isLive({ ...pack, voidedAtMs: 12 }, 15)).toBe(false);
  });
});
