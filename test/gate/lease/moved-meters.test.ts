import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LeaseLedger } from "../../../src/gate/lease/lease-ledger.ts";
import { LEASE, type LeaseRequest } from "../../../src/gate/lease/protocol.ts";

/** Accounts are read before an ask is taken: a meter that moves and was not read would stay leased for good. */

const meter = fc.constantFrom("a", "b", "c", "d");
const amount = fc.bigInt(0n, 30n);
const amounts = fc.array(fc.tuple(meter, amount)).map((entries) => new Map(entries));
const wants = amounts.map(
  (lefts) => new Map(Array.from(lefts, ([name, left]) => [name, { left, want: 20n, least: 1n }])),
);
const ask = fc.record(
  { wants, used: amounts, keeps: amounts, renews: fc.nat(4), mark: fc.constantFrom("now", "before") },
  { requiredKeys: ["wants", "used"] },
);
const step = fc.record({ ask, waitMs: fc.constantFrom(100, 2000), presses: fc.boolean() });

test("an ask moves no meter and needs the terms of none but those that the ledger names before", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 8 }), (steps) => {
      const book = new LeaseLedger();
      let now = 0;
      for (const [
        index,
        {
          ask: { used, ...said },
          waitMs,
          presses,
        },
      ] of steps.entries()) {
        now += waitMs;
        if (presses) book.pressAll();
        const batches = [{ number: index + 1, holds: [], used }];
        const request: LeaseRequest<never> = { holder: "h", attempt: index + 1, batches, ...said };
        const named = book.metersOf(request, now);
        const asked: string[] = [];
        const termsOf = (name: string) => {
          asked.push(name);
          return { limit: 6400n, used: 0n, lifeMs: LEASE.lifeMs, lingerMs: LEASE.longestHoldMs };
        };
        const settled = book.settle(request, termsOf, now);
        const others = [...(settled?.moves.keys() ?? []), ...asked].filter((name) => !named.has(name));
        expect(others).toEqual([]);
      }
    }),
  );
});

test("what a gate says that it keeps is not looked up where it never had a slice of it", () => {
  const book = new LeaseLedger();
  const keeps = new Map([["invented", 1n]]);
  const request = { holder: "h", attempt: 1, batches: [], wants: new Map(), keeps, renews: 0 };
  expect([...book.metersOf(request, 0)]).toEqual([]);
});
