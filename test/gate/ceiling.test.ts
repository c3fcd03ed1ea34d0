import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd } from "../../src/domain/price/money.ts";
import { ceilingOf } from "../../src/domain/price/ceiling.ts";
import { costOf } from "../../src/domain/price/cost.ts";
import type * as gate from "../../src/gate/index.ts";
import type { KnownCeiling } from "../../src/gate/snapshot/ceilings.ts";
import { anyPrice, anyPriceWithUnits, unitsWithin, usageWithin } from "../domain/price/any-price.ts";
import { taughtIsolate } from "../support/taught-isolate.ts";

const START = Date.UTC(2026, 0, 1);
const METER = {
  id: "bud_A",
  kind: "budget",
  scope: { kind: "org", id: "" },
  limit: 900_000_000n * 1_000_000_000n,
  window: { kind: "period", period: "month" },
  mode: "enforce",
  sinceMs: 0,
} as const;

/** An isolate that knows the ceiling of a model, and has slices of the only limit. */
async function isolateWith(ceiling: KnownCeiling | null | undefined) {
  const learned: gate.DecisionAsk = { model: "m", estimate: { input_tokens: 1 } };
  const { decide } = await taughtIsolate({
    start: START,
    meters: [METER],
    decisionPlan: ceiling === undefined ? {} : { ceiling },
    learned,
    wished: { ...learned, estimate: { cost_usd: "1" } },
    granted: () => ({ add: 10n ** 15n, share: 1n }),
  });
  return (ask: gate.DecisionAsk, later?: number) => {
    const decided = decide(ask, later);
    return typeof decided === "string" ? (JSON.parse(decided).reservation.amount_usd as string) : decided;
  };
}

const UNBOUNDED = { untilMs: null, contextWindow: null, maxOutputTokens: null };

test("an isolate reserves enough for any usage within the estimate, at any price", async () => {
  const estimated = fc
    .tuple(fc.nat(300_000), fc.nat(300_000))
    .chain(([input, output]) => fc.tuple(fc.constant({ input, output }), usageWithin(input, output)));
  const priced = fc
    .oneof(anyPrice, anyPriceWithUnits)
    .chain((price) => fc.tuple(fc.constant(price), unitsWithin(price)));
  await fc.assert(
    fc.asyncProperty(priced, estimated, fc.nat(), async ([price, units], [{ input, output }, used], pick) => {
      const names = [undefined, ...price.variants.keys()];
      const variant = names[pick % names.length];
      const decide = await isolateWith({ ...ceilingOf(price), ...UNBOUNDED });
      const estimate = { input_tokens: input, max_output_tokens: output, units: units.most };
      const amount = decide({ model: "m", estimate, ...(variant === undefined ? {} : { variant }) });
      if (typeof amount !== "string") throw new Error("the isolate decides by itself");
      const cost = costOf(price, { ...used, units: units.used }, variant);
      if (typeof cost !== "bigint") throw new Error("no price");
      expect(Number(amount)).toBeGreaterThanOrEqual(Number(formatUsd(cost)));
    }),
    { numRuns: 50 },
  );
});

const PRICE = {
  rates: { input: 1_000_000_000n, output: 2_000_000_000n, cache_write: 3_000_000_000n },
  tiers: [],
  units: new Map<string, bigint>(),
  variants: new Map([["batch", 500_000_000n]]),
};
const ASK = { model: "m", estimate: { input_tokens: 1000, max_output_tokens: 100 } };

test("it applies the variant's factor, and leaves an unknown variant to the object", async () => {
  const decide = await isolateWith({ ...ceilingOf(PRICE), ...UNBOUNDED });
  expect(decide(ASK)).toBe("0.0032");
  expect(decide({ ...ASK, variant: "batch" })).toBe("0.0016");
  expect(decide({ ...ASK, variant: "standard" })).toBe("0.0032");
  expect(decide({ ...ASK, variant: "flex" })).toBeNull();
});

test("it reserves units, also without tokens, and leaves one without a price to the object", async () => {
  const decide = await isolateWith({
    ...ceilingOf({ ...PRICE, units: new Map([["web_search", 10_000_000n]]) }),
    ...UNBOUNDED,
  });
  const units = { web_search: 3 };
  expect(decide({ ...ASK, estimate: { ...ASK.estimate, units } })).toBe("0.0332");
  expect(decide({ model: "m", estimate: { units } })).toBe("0.03");
  expect(decide({ model: "m", estimate: { units: { ...units, image: 1 } } })).toBeNull();
  expect(decide({ model: "m", estimate: { units, cost_usd: "0.5" } })).toBe("0.50");
});

test("a price is not used after it ends", async () => {
  const decide = await isolateWith({ ...ceilingOf(PRICE), ...UNBOUNDED, untilMs: START + 500 });
  expect(decide(ASK, 499)).toBe("0.0032");
  expect(decide(ASK, 500)).toBeNull();
});

test("without a price, or with an object that sends none, the object decides", async () => {
  expect((await isolateWith(null))(ASK)).toBeNull();
  expect((await isolateWith(undefined))(ASK)).toBeNull();
});
