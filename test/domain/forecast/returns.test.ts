import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitReturns, linearReturn, returnsCurve } from "../../../src/domain/forecast/returns.ts";

describe("diminishing returns", () => {
  test("are fitted from days with more and fewer teams", () => {
    const days = [1, 2, 3, 4, 5, 6, 8].map((teams) => ({ teams, value: 50 * teams ** 0.6 }));
    expect(fitReturns(days).source).toBe("fitted");
    expect(fitReturns(days).exponent).toBeCloseTo(0.6, 6);
  });

  test("are assumed if the number of teams hardly changed", () => {
    expect(
      fitReturns([
        { teams: 3, value: 5 },
        { teams: 4, value: 6 },
      ]),
    ).toEqual({
      exponent: 0.8,
      source: "assumed",
    });
  });

  test("always rise, each unit by no more than the previous one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ teams: fc.nat(20), value: fc.nat(1000) }), { maxLength: 60 }),
        (days) => {
          const curve = returnsCurve(fitReturns(days), 100);
          for (const [index, point] of curve.entries()) {
            const before = curve[index - 1];
            expect(point.total).toBeGreaterThan(before?.total ?? 0);
            expect(point.marginal).toBeLessThanOrEqual(before?.marginal ?? 1);
          }
        },
      ),
    );
  });
});

test("the linear projection doubles with the teams, to the nano-dollar", () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 10n ** 18n),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(10_000),
      (spent, active, teams) => {
        expect(linearReturn({ returnedNano: spent, activeTeams: active, teams: 2 * teams })).toBe(
          2n * linearReturn({ returnedNano: spent, activeTeams: active, teams }),
        );
      },
    ),
  );
});
