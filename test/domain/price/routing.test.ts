import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Candidate,
  lowerBound,
  type RoutingPolicy,
  selectModel,
} from "../../../src/domain/price/routing.ts";

const NOW = Date.UTC(2026, 6, 22);
const DAY = 86_400_000;

const POLICY: RoutingPolicy = {
  candidates: ["big", "small"],
  evalGate: { suite: "s1", minScore: 0.8, minSamples: 100, maxAgeDays: 30 },
  prefer: "cheapest",
  fallbackModel: undefined,
};

function candidate(
  model: string,
  overrides: Partial<Candidate> & { score?: number; samples?: number; age?: number } = {},
): Candidate {
  const { score = 0.95, samples = 500, age = 1, ...rest } = overrides;
  return {
    model,
    ruledOut: undefined,
    regions: undefined,
    costNanos: 1_000n,
    evals: [{ suite: "s1", model, score, samples, runAt: NOW - age * DAY }],
    ...rest,
  };
}

const select = (known: Candidate[], policy: Partial<RoutingPolicy> = {}, region?: string) =>
  selectModel({ ...POLICY, ...policy }, known, { region, now: NOW });

describe("lower confidence bound", () => {
  test("Wilson's known values", () => {
    expect(lowerBound(0.9, 100)).toBeCloseTo(0.8256, 4);
    expect(lowerBound(1, 10)).toBeCloseTo(0.7225, 4);
    expect(lowerBound(0.5, 0)).toBe(0);
  });

  test("is within 0 and the score, and more samples never lower it", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 0, max: 1e6 }),
        (score, samples, more) => {
          const bound = lowerBound(score, samples);
          expect(bound).toBeGreaterThanOrEqual(0);
          expect(bound).toBeLessThanOrEqual(score);
          expect(lowerBound(score, samples + more)).toBeGreaterThanOrEqual(bound - 1e-9);
        },
      ),
    );
  });
});

describe("a selection", () => {
  test("prefers the cheapest, or the best, of those that pass", () => {
    const known = [candidate("big", { costNanos: 9_000n, score: 0.99 }), candidate("small", { score: 0.9 })];
    expect(select(known)).toMatchObject({ model: "small", reason: "cheapest" });
    expect(select(known, { prefer: "best" })).toMatchObject({ model: "big", reason: "best" });
  });

  test.each([
    ["blocked by policy rule_1", { ruledOut: { ruleId: "rule_1", failed: false } }],
    ["policy rule_1 failed", { ruledOut: { ruleId: "rule_1", failed: true } }],
    ["no price", { costNanos: undefined }],
    ["not served in region eu", { regions: ["us"] }],
    ["no eval on suite s1", { evals: [] }],
    ["last evaluated 31 days ago; at most 30", { age: 31 }],
    ["evaluated on 99 samples; at least 100", { samples: 99 }],
    ["is under 0.8", { score: 0.82, samples: 100 }],
    ["no eval on suite s1", { age: -1 }],
  ])("explains why not: %s", (why, overrides) => {
    const chosen = select([candidate("big", overrides), candidate("small", { costNanos: 9_000n })], {}, "eu");
    expect(chosen.model).toBe("small");
    expect(chosen.considered[0]).toMatchObject({ model: "big", eligible: false });
    expect(chosen.considered[0]?.why).toContain(why);
    expect(chosen.considered[1]).toMatchObject({ model: "small", eligible: true });
  });

  test("only the latest result counts, and only on the gate's suite", () => {
    const evals = [
      { suite: "s1", model: "big", score: 0.99, samples: 500, runAt: NOW - 5 * DAY },
      { suite: "s1", model: "big", score: 0.5, samples: 500, runAt: NOW - DAY },
      { suite: "other", model: "big", score: 0.99, samples: 500, runAt: NOW },
    ];
    expect(select([candidate("big", { evals })]).model).toBeUndefined();
  });

  test("the fallback needs no eval, but policy, region and price hold for it too", () => {
    const weak = candidate("big", { score: 0.1 });
    const spare = candidate("spare", { evals: [] });
    expect(select([weak, spare], { fallbackModel: "spare" })).toMatchObject({
      model: "spare",
      reason: "fallback",
    });
    expect(
      select([weak, { ...spare, ruledOut: { ruleId: "rule_1", failed: false } }], { fallbackModel: "spare" })
        .model,
    ).toBeUndefined();
    expect(
      select([weak, { ...spare, costNanos: undefined }], { fallbackModel: "spare" }).model,
    ).toBeUndefined();
    expect(
      select([weak, { ...spare, regions: ["us"] }], { fallbackModel: "spare" }, "eu").model,
    ).toBeUndefined();
    expect(select([weak]).model).toBeUndefined();
  });

  test("a model below the minimum score is never chosen", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            score: fc.double({ min: 0, max: 1, noNaN: true }),
            samples: fc.integer({ min: 0, max: 2_000 }),
          }),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        fc.constantFrom("cheapest" as const, "best" as const),
        (given, prefer) => {
          const known = given.map((one, index) => candidate(`m${index}`, one));
          const { model } = select(known, { prefer, candidates: known.map((one) => one.model) });
          const chosen = given[Number(model?.slice(1))] ?? { score: 1, samples: 1_000 };
          expect(lowerBound(chosen.score, chosen.samples)).toBeGreaterThanOrEqual(0.8);
          expect(chosen.samples).toBeGreaterThanOrEqual(100);
        },
      ),
    );
  });
});
