import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exhaustionOf, capPath, type Allowance } from "../../../src/domain/forecast/exhaustion.ts";
import {
  bandsAhead,
  simulateFutures,
  historyOf,
  LEAST_HISTORY_DAYS,
  methodOf,
  outlookOf,
  pointsOf,
  type Assumptions,
} from "../../../src/domain/forecast/forecast.ts";
import { bandsOf, simulate } from "../../../src/domain/forecast/paths.ts";
import { SCENARIOS } from "../../../src/contract/lists.ts";
import { dayOf } from "../../../src/domain/forecast/series.ts";

const TODAY = dayOf(Date.UTC(2026, 6, 15));
const PLAIN: Assumptions = {
  scenario: "baseline",
  growthRate: 0.2,
  returns: { exponent: 0.8, source: "assumed" },
  allowances: [],
};

const steady = (days: number, value = 10, until = TODAY - 1) =>
  Array.from({ length: days }, (_, index) => ({ day: until - days + 1 + index, value }));

function outlook(totals: { day: number; value: number }[], horizonDays = 30) {
  const history = historyOf(totals, TODAY);
  if (history === null) throw new Error("too short");
  return outlookOf(history, horizonDays);
}

const sumOfMedians = (points: { p50: number }[]) => points.reduce((sum, point) => sum + point.p50, 0);

describe("the history", () => {
  test("needs 14 days for a forecast", () => {
    expect(historyOf([], TODAY)).toBeNull();
    expect(historyOf(steady(LEAST_HISTORY_DAYS - 1), TODAY)).toBeNull();
    expect(historyOf(steady(13, 10, TODAY), TODAY)).toBeNull();
    expect(historyOf(steady(14), TODAY)?.series.values).toHaveLength(14);
    expect(historyOf(steady(14, 10, TODAY), TODAY)?.series.values).toHaveLength(14);
  });

  test("excludes the unfinished day", () => {
    const history = historyOf([...steady(20), { day: TODAY, value: 0.5 }], TODAY);
    expect(history?.series.values).toHaveLength(20);
    expect(history?.usedToday).toBe(0.5);
  });

  test("reads an empty weekday as quiet and a rare empty day as unknown", () => {
    const workdays = steady(42).filter(({ day }) => day % 7 !== 2 && day % 7 !== 3);
    expect(historyOf(workdays, TODAY)?.series.values).toContain(0);
    expect(historyOf(workdays, TODAY)?.series.values).not.toContain(null);
    const outage = steady(42).filter(({ day }) => day !== TODAY - 20);
    expect(historyOf(outage, TODAY)?.series.values).toContain(null);
    expect(historyOf(outage, TODAY)?.series.values).not.toContain(0);
  });
});

describe("a forecast", () => {
  test("is the same each time, for any days ahead and whatever was used today", () => {
    const days = Array.from({ length: 60 }, (_, index) => ({
      day: TODAY - 60 + index,
      value: 5 + ((index * 37) % 11),
    }));
    const asked = [
      [3, 0],
      [9, 4],
      [3, 7],
      [9, 4],
    ] as const;
    for (const [ahead, used] of asked) {
      const one = outlook([...days, { day: TODAY, value: used }], ahead);
      const fresh = simulate(one.model, ahead + 1);
      expect(bandsAhead(one)).toEqual(bandsOf(fresh, ahead));
      for (const path of fresh) path[0] = Math.max(0, (path[0] ?? 0) - used);
      expect(simulateFutures(one, PLAIN)).toEqual(fresh);
      // With other assumptions, the same model has other simulateFutures.
      expect(simulateFutures(one, { ...PLAIN, scenario: "growth" })).not.toEqual(fresh);
      expect(bandsAhead({ ...one, horizonDays: ahead + 2 })).toEqual(
        bandsOf(simulate(one.model, ahead + 2), ahead + 2),
      );
    }
  });

  test("has one ordered, non-negative, finite band per day, from tomorrow on", () => {
    const values = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 14, maxLength: 60 });
    const horizons = fc.integer({ min: 7, max: 40 });
    const scenarios = fc.constantFrom(...SCENARIOS);
    fc.assert(
      fc.property(values, horizons, scenarios, (amounts, horizonDays, scenario) => {
        const totals = amounts.map((value, index) => ({ day: TODAY - amounts.length + index, value }));
        const view = outlook(totals, horizonDays);
        const points = pointsOf(view, simulateFutures(view, { ...PLAIN, scenario }));
        expect(points).toHaveLength(horizonDays);
        expect(points[0]?.date).toBe("2026-07-16");
        for (const { p10, p50, p90 } of points) {
          expect(p10).toBeGreaterThanOrEqual(0);
          expect(p50).toBeGreaterThanOrEqual(p10);
          expect(p90).toBeGreaterThanOrEqual(p50);
          expect(Number.isFinite(p90)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("is the same for the same history", () => {
    const view = outlook(steady(40));
    expect(pointsOf(view, simulateFutures(view, PLAIN))).toEqual(
      pointsOf(view, simulateFutures(view, PLAIN)),
    );
  });

  test("of a steady series is that series, with growth above it and constrained not above it", () => {
    const view = outlook(steady(40));
    const total = (scenario: Assumptions["scenario"]) =>
      sumOfMedians(pointsOf(view, simulateFutures(view, { ...PLAIN, scenario })));
    expect(total("baseline")).toBeCloseTo(300, 3);
    expect(total("growth")).toBeGreaterThan(total("baseline"));
    expect(total("constrained")).toBeLessThanOrEqual(total("baseline"));
    expect(methodOf(view)).toBe("linear_level");
  });

  test("of the growth scenario rises by less than the capacity that is added", () => {
    const view = outlook(steady(40));
    const last = pointsOf(view, simulateFutures(view, { ...PLAIN, scenario: "growth", growthRate: 1 })).at(
      -1,
    );
    expect(last?.p50).toBeGreaterThan(10 * 2 ** 0.8 * 0.95);
    expect(last?.p50).toBeLessThan(20);
  });

  test("under the constrained scenario never exceeds an allowance", () => {
    const allowance: Allowance = { limit: 100, left: 35, resets: [17] };
    const view = outlook(steady(40));
    const paths = simulateFutures(view, { ...PLAIN, scenario: "constrained", allowances: [allowance] });
    for (const path of paths) {
      expect(path.slice(0, 17).reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(35 + 1e-9);
      expect(path.slice(17).reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(100 + 1e-9);
    }
  });
});

describe("the day a budget is used up", () => {
  const view = outlook(steady(40));
  const paths = simulateFutures(view, PLAIN);
  const on = (allowance: Allowance) => exhaustionOf(paths, TODAY, allowance);

  test("follows from the usage, including the rest of today", () => {
    expect(on({ limit: 100, left: 35, resets: [] })).toEqual({
      p50Date: "2026-07-18",
      p90Date: "2026-07-18",
    });
  });

  test("is today when nothing is left", () => {
    expect(on({ limit: 100, left: 0, resets: [] }).p50Date).toBe("2026-07-15");
  });

  test("is null if the period or the horizon ends first", () => {
    expect(on({ limit: 1000, left: 35, resets: [3] }).p50Date).toBeNull();
    expect(on({ limit: 1000, left: 1000, resets: [] }).p50Date).toBeNull();
  });

  test("at high usage is never later than at the median", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 20, maxLength: 40 }),
        (v) => {
          const noisy = outlook(v.map((value, index) => ({ day: TODAY - v.length + index, value })));
          const dates = exhaustionOf(simulateFutures(noisy, PLAIN), TODAY, {
            limit: 400,
            left: 400,
            resets: [],
          });
          expect((dates.p90Date ?? "9") <= (dates.p50Date ?? "9")).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("is the same in the constrained scenario", () => {
    const allowance = { limit: 35, left: 35, resets: [] };
    const kept = paths.map((path) => capPath(path, [allowance]));
    expect(exhaustionOf(kept, TODAY, allowance).p50Date).toBe("2026-07-18");
  });
});

test("a history is fitted once, and again when a day of it has changed or the horizon is another", () => {
  const totals = (last: number) =>
    Array.from({ length: 40 }, (_, at) => ({
      day: TODAY - 40 + at,
      value: at === 39 ? last : 10 + (at % 5),
    }));
  const modelOf = (last: number, horizonDays: number) => {
    const history = historyOf(totals(last), TODAY);
    return history === null ? null : outlookOf(history, horizonDays).model;
  };
  const model = modelOf(12, 30);
  expect(modelOf(12, 30)).toBe(model);
  expect(modelOf(13, 30)).not.toBe(model);
  expect(modelOf(12, 14)).not.toBe(model);
});
