import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Account } from "../../src/domain/meter/meter.ts";
import type { RateMeter } from "../../src/domain/rate/policy.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import { KnownAccount, newLimitSet } from "../../src/gate/decision/limit-set.ts";
import { allowText, allowValues } from "../../src/gate/decision/verdict.ts";

const NOW = 1_763_172_000_000;

const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });

/** Limits in dollars, runs and tokens, as full as they can be, and some that are never full. */
const account = fc
  .record({
    kind: fc.constantFrom("budget", "spend_cap", "customer_limit"),
    unit: fc.constantFrom("usd", "runs", "tokens"),
    limit: fc.oneof(amount, fc.constant(null)),
    spent: amount,
    leased: amount,
  })
  .map(({ kind, unit, limit, spent, leased }): Account => {
    const meter = { id: "lim_1", kind, unit, limit, scope: { kind: "org", id: "" }, sinceMs: 0 };
    const window = { startMs: NOW, endMs: NOW + 1000 };
    const usage = { spent, over: 0n, held: 0n, leased };
    return {
      meter: { ...meter, window: { kind: "period", period: "day" }, mode: "enforce" },
      subject: "",
      window,
      usage,
    } as Account;
  });

const rate = fc.record({
  kind: fc.constantFrom("rate", "quota"),
  room: fc.oneof(fc.constant(null), fc.integer({ min: -5, max: 1_000_000 })),
});

test("an allow is told to a caller in this process as its text says", () => {
  fc.assert(
    fc.property(
      fc.array(account, { maxLength: 4 }),
      fc.array(rate, { maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 10 ** 15 }), { minLength: 7, maxLength: 7 }),
      fc.integer({ min: 0, max: 10 ** 15 }),
      fc.option(fc.integer({ min: 1, max: 10 ** 12 })),
      (accounts, rates, lefts, nanos, output) => {
        const gate = new OrgGate("holder", new AllowCache());
        const limitSet = newLimitSet({
          accounts: accounts.map((one, at) => ({ key: `a${at}`, known: new KnownAccount(one, NOW) })),
          rates: rates.map(({ kind }, at) => {
            const policy = { id: `rl_${at}`, kind, unit: "requests", match: {}, window: "day" };
            return { key: `r${at}`, meter: { key: `r${at}`, policy } as unknown as RateMeter };
          }),
          customer: undefined,
          keyId: "key_A",
          isWhole: false,
          orgNow: NOW,
          sliceOf: (key) => gate.leaseClient.slice(key),
        });
        for (const [at, slice] of limitSet.slices.entries()) slice.left = lefts[at] ?? 0;
        const told = rates.flatMap(({ room }, at) =>
          room === null ? [] : [{ key: `r${at}`, room, used: 0, waitMs: 0, moreInMs: 0 }],
        );
        gate.setRates(told, NOW, NOW);
        const id = "rsv_01K9Z0000000000000000000AB";
        const allow = { limitSet, id, nanos, output, expiresAt: NOW + 60_000, orgNow: NOW, now: NOW };
        const given = allowValues(gate, allow);
        expect(given).toEqual(JSON.parse(allowText(gate, allow)));
        expect(Object.keys(given)).toEqual(Object.keys(JSON.parse(allowText(gate, allow)) as object));
        expect(given.limits).toHaveLength(accounts.length + rates.length);
      },
    ),
  );
});
