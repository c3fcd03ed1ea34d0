import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, charge, chargeFact, hasRoomForAll, holdAll } from "../../../src/domain/meter/admission.ts";
import type { Attempt } from "../../../src/domain/refusal/limit-denials.ts";
import { type Account, type Meter, NO_USAGE, totalSpent } from "../../../src/domain/meter/meter.ts";
import { withHeld, withLeased, withoutHeld, withoutLeased } from "../../../src/domain/meter/usage.ts";

function accountOf(limit: bigint | null, over: Partial<Meter> = {}): Account {
  const meter: Meter = {
    id: "bud_1",
    kind: "budget",
    scope: { kind: "org", id: "" },
    limit,
    window: { kind: "period", period: "total" },
    mode: "enforce",
    sinceMs: 0,
    ...over,
  };
  return { meter, subject: "", window: { startMs: 0, endMs: null }, usage: NO_USAGE };
}

const usd = (nanos: bigint): Attempt => ({ nanos, tokens: 0, depth: 0 });
const atDepth = (depth: number): Attempt => ({ nanos: 1n, tokens: 1, depth });
const taken = ({ usage }: Account) => usage.spent + usage.over + usage.held + usage.leased;
const amount = fc.bigInt({ min: 0n, max: 60n });

type Step =
  | { readonly do: "charge" | "fact" | "hold" | "lease"; readonly nanos: bigint }
  | { readonly do: "settle"; readonly nanos: bigint }
  | { readonly do: "release" | "report" | "giveBack" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("charge" as const, "fact" as const, "hold" as const, "lease" as const),
    nanos: amount,
  }),
  fc.record({ do: fc.constant("settle" as const), nanos: amount }),
  fc.record({ do: fc.constantFrom("release" as const, "report" as const, "giveBack" as const) }),
);

/** Open holds and leases, each with what it took. */
interface Standing {
  readonly holds: bigint[];
  readonly leases: bigint[];
}

function take(accounts: readonly Account[], standing: Standing, next: Step & { nanos: bigint }): void {
  const attempt = usd(next.nanos);
  if (next.do === "fact") {
    chargeFact(accounts, attempt);
    return;
  }
  if (admit(accounts, attempt).refusedBy !== null) return;
  if (next.do === "charge") charge(accounts, attempt);
  if (next.do === "hold") {
    holdAll(accounts, attempt);
    standing.holds.push(next.nanos);
  }
  if (next.do === "lease") {
    for (const account of accounts) account.usage = withLeased(account.usage, next.nanos);
    standing.leases.push(next.nanos);
  }
}

function apply(accounts: readonly Account[], standing: Standing, next: Step): void {
  if (next.do === "charge" || next.do === "fact" || next.do === "hold" || next.do === "lease") {
    take(accounts, standing, next);
    return;
  }
  const ended =
    next.do === "settle" || next.do === "release" ? standing.holds.shift() : standing.leases.shift();
  if (ended === undefined) return;
  for (const account of accounts) {
    if (next.do === "report") account.usage = withHeld(withoutLeased(account.usage, ended), ended);
    else if (next.do === "giveBack") account.usage = withoutLeased(account.usage, ended);
    else account.usage = withoutHeld(account.usage, ended);
  }
  if (next.do === "report") standing.holds.push(ended);
  if (next.do === "settle") chargeFact(accounts, usd(next.nanos));
}

describe("over any sequence of charges, facts, holds and leases", () => {
  test("what was admitted never exceeds a limit; only facts do", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 200n }), { minLength: 1, maxLength: 4 }),
        fc.array(step),
        (limits, steps) => {
          const accounts = limits.map((limit) => accountOf(limit));
          const standing: Standing = { holds: [], leases: [] };
          for (const next of steps) {
            apply(accounts, standing, next);
            for (const account of accounts) {
              const { spent, held, leased } = account.usage;
              expect(spent + held + leased).toBeLessThanOrEqual(account.meter.limit ?? 0n);
              expect(held).toBe(standing.holds.reduce((sum, one) => sum + one, 0n));
              expect(leased).toBe(standing.leases.reduce((sum, one) => sum + one, 0n));
            }
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("one attempt is taken from every meter or from none", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1 }),
        fc.array(amount),
        (limits, amounts) => {
          const accounts = limits.map((limit) => accountOf(limit));
          for (const nanos of amounts) {
            const before = accounts.map(taken);
            const { refusedBy } = admit(accounts, usd(nanos));
            expect(accounts.map(taken)).toEqual(before);
            if (refusedBy !== null) continue;
            charge(accounts, usd(nanos));
            expect(accounts.map(taken)).toEqual(before.map((one) => one + nanos));
          }
        },
      ),
    );
  });

  test("the total spent is the sum of what was charged, with or without a limit in the way", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100n }), fc.array(amount), (limit, amounts) => {
        const account = accountOf(limit);
        for (const nanos of amounts) chargeFact([account], usd(nanos));
        const sum = amounts.reduce((total, one) => total + one, 0n);
        expect(totalSpent(account.usage)).toBe(sum);
        expect(account.usage.over).toBe(sum > limit ? sum - limit : 0n);
      }),
    );
  });
});

test("reaching a limit exactly is allowed, exceeding it by a nano-dollar is not", () => {
  const account = accountOf(5n);
  expect(admit([account], usd(5n)).refusedBy).toBeNull();
  expect(admit([account], usd(6n)).refusedBy).toBe(account);
});

test("a limit of zero refuses only what costs something", () => {
  const account = accountOf(0n);
  expect(admit([account], usd(0n)).refusedBy).toBeNull();
  expect(admit([account], usd(1n)).refusedBy).toBe(account);
});

test("what costs nothing is allowed even if facts exceeded the limit", () => {
  const account = accountOf(1n);
  chargeFact([account], usd(3n));
  expect(admit([account], usd(0n)).refusedBy).toBeNull();
});

test("a shadow limit refuses nothing, is named, and counts the excess separately", () => {
  const shadow = accountOf(5n, { mode: "shadow" });
  expect(admit([shadow], usd(7n))).toEqual({ refusedBy: null, shadow: [shadow] });
  charge([shadow], usd(7n));
  expect(shadow.usage).toEqual({ ...NO_USAGE, spent: 5n, over: 2n });
});

test("the first full meter in order refuses", () => {
  const wide = accountOf(100n);
  const first = accountOf(1n);
  const second = accountOf(0n);
  expect(admit([wide, first, second], usd(2n)).refusedBy).toBe(first);
});

test("a chain's depth is compared, not added up", () => {
  const depth = accountOf(2n, { kind: "chain_depth", scope: { kind: "chain", id: "*" } });
  for (const level of [1, 2, 2, 1]) {
    expect(admit([depth], atDepth(level)).refusedBy).toBeNull();
    charge([depth], atDepth(level));
  }
  expect(admit([depth], atDepth(3)).refusedBy).toBe(depth);
  expect(depth.usage).toEqual(NO_USAGE);
});

test("returning more than was taken is an error", () => {
  expect(() => withoutHeld(NO_USAGE, 1n)).toThrow("held");
  expect(() => withoutLeased(NO_USAGE, 1n)).toThrow("leased");
});

describe("many attempts as one", () => {
  const KINDS_ADDED_UP = ["budget", "spend_cap", "plan_runs", "plan_tokens", "customer_limit"] as const;
  const account = fc
    .record({
      kind: fc.constantFrom(...KINDS_ADDED_UP),
      mode: fc.constantFrom("enforce" as const, "shadow" as const, "count" as const),
      limit: fc.option(fc.bigInt({ min: 0n, max: 200n })),
      used: fc.tuple(amount, amount, amount, amount),
    })
    .map(({ kind, mode, limit, used: [spent, over, held, leased] }) => ({
      ...accountOf(limit, { kind, mode }),
      usage: { spent, over, held, leased },
    }));
  const attempt = fc.record({
    nanos: fc.bigInt({ min: 0n, max: 20n }),
    tokens: fc.nat(20),
    depth: fc.constant(0),
  });
  const sumOf = (attempts: readonly Attempt[]): Attempt => ({
    nanos: attempts.reduce((sum, { nanos }) => sum + nanos, 0n),
    tokens: attempts.reduce((sum, { tokens }) => sum + tokens, 0),
    depth: 0,
    runs: attempts.length,
  });

  test("if there is room for all, each is allowed, and charging the sum equals charging each", () => {
    let roomy = 0;
    fc.assert(
      fc.property(
        fc.array(account, { maxLength: 4 }),
        fc.array(attempt, { minLength: 1, maxLength: 8 }),
        (accounts, attempts) => {
          const together = accounts.map((one) => ({ ...one }));
          if (!hasRoomForAll(together, sumOf(attempts))) return;
          roomy += 1;
          for (const one of attempts) {
            expect(admit(accounts, one)).toEqual({ refusedBy: null, shadow: [] });
            expect(charge(accounts, one)).toEqual({ draws: [], uncovered: 0n, over: [] });
          }
          charge(together, sumOf(attempts));
          expect(together.map(({ usage }) => usage)).toEqual(accounts.map(({ usage }) => usage));
        },
      ),
      { numRuns: 500 },
    );
    expect(roomy).toBeGreaterThan(50);
  });

  test("if a meter has no room for all, or judges one by one, the answer is no", () => {
    const two = { nanos: 6n, tokens: 6, depth: 0, runs: 2 };
    expect(hasRoomForAll([accountOf(6n), accountOf(null)], two)).toBe(true);
    expect(hasRoomForAll([accountOf(6n), accountOf(5n)], two)).toBe(false);
    expect(hasRoomForAll([accountOf(5n, { mode: "count" })], two)).toBe(false);
    expect(hasRoomForAll([accountOf(1n, { kind: "plan_runs" })], two)).toBe(false);
    for (const kind of ["chain_depth", "credits", "credit_pack"] as const) {
      expect(hasRoomForAll([accountOf(100n, { kind })], two)).toBe(false);
    }
  });
});
