import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partAboveTotal, TOKEN_CLASSES, TOKEN_CLASS_NAMES } from "../../../src/contract/token-classes.ts";
import { formatUsd } from "../../../src/domain/price/money.ts";
import { ceilingOf, reservationOf } from "../../../src/domain/price/ceiling.ts";
import { breakdownOf, costOf } from "../../../src/domain/price/cost.ts";
import { isUnpriced } from "../../../src/domain/price/unpriced.ts";
import type { Price } from "../../../src/domain/price/price.ts";
import { priceOf, termsOf } from "../../../src/domain/price/terms.ts";
import { anyPrice, anyPriceWithUnits, unitsWithin, usageWithin } from "./any-price.ts";
import { EXAMPLES, PUBLISHED } from "./examples.ts";

function amount(cost: ReturnType<typeof costOf>): bigint {
  if (isUnpriced(cost)) throw new Error(`no price for ${cost.unpriced} ${cost.name}`);
  return cost;
}

function sumOf(price: Price, ...usage: [usage: Parameters<typeof breakdownOf>[1], variant?: string]): bigint {
  const entries = breakdownOf(price, ...usage);
  if (isUnpriced(entries)) throw new Error("no price");
  return entries.reduce((sum, { nanos }) => sum + nanos, 0n);
}

const bare = (terms: Parameters<typeof termsOf>[0]) => priceOf(termsOf(terms));

const reserve = (
  price: Price,
  { input, output, units }: { input: number; output: number; units?: Record<string, number> },
  variant?: string,
) => reservationOf(ceilingOf(price), { inputTokens: input, outputTokens: output, units }, variant);

describe("a published price", () => {
  test("is checked in at least 40 examples from three providers", () => {
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(EXAMPLES.map(({ model }) => PUBLISHED[model].source)).size).toBe(3);
  });

  test.each(EXAMPLES)("$model, $what: $costUsd", ({ model, usage, variant, costUsd }) => {
    const price = bare(PUBLISHED[model].price);
    expect(partAboveTotal(usage)).toBeNull();
    expect(formatUsd(amount(costOf(price, usage, variant)))).toBe(costUsd);
    expect(formatUsd(sumOf(price, usage, variant))).toBe(costUsd);
    const ceiling = ceilingOf(price);
    const { input_tokens: inputTokens, output_tokens: outputTokens, units } = usage;
    const reserved = amount(reservationOf(ceiling, { inputTokens, outputTokens, units }, variant));
    expect(reserved).toBeGreaterThanOrEqual(amount(costOf(price, usage, variant)));
  });
});

describe("for any price", () => {
  const usage = fc
    .nat(500_000)
    .chain((input) => fc.nat(500_000).chain((output) => usageWithin(input, output)));

  test("the sum of the breakdown is the cost, and no entry is below its exact share", () => {
    fc.assert(
      fc.property(anyPrice, usage, (price, used) => {
        const cost = amount(costOf(price, used));
        expect(sumOf(price, used)).toBe(cost);
        const entries = breakdownOf(price, used);
        if (isUnpriced(entries)) throw new Error("no price");
        const exact = entries.map(({ rate, quantity }) => rate * BigInt(quantity));
        const parts = 1_000_000n * 1_000_000_000n;
        for (const [at, { nanos }] of entries.entries())
          expect(nanos).toBeGreaterThanOrEqual((exact[at] ?? 0n) / parts);
        const total = exact.reduce((sum, one) => sum + one, 0n);
        expect(cost).toBe((total + parts - 1n) / parts);
      }),
    );
  });

  test("the cost is exact, however large the amounts", () => {
    const large = fc.nat(1_000_000).chain((input) => usageWithin(input * 1_000_000, input * 999_983));
    fc.assert(
      fc.property(anyPrice, fc.oneof(usage, large), (price, used) => {
        // Under another name for the same rates, the cost is computed in parts.
        expect(costOf(price, used)).toBe(costOf(price, used, "standard"));
      }),
      { numRuns: 1000 },
    );
  });

  test("the reservation covers every usage within its estimate, for any tier, class, unit and variant", () => {
    const estimated = fc
      .tuple(fc.nat(500_000), fc.nat(500_000))
      .chain(([input, output]) => fc.tuple(fc.constant({ input, output }), usageWithin(input, output)));
    const priced = fc
      .oneof(anyPrice, anyPriceWithUnits)
      .chain((price) => fc.tuple(fc.constant(price), unitsWithin(price)));
    fc.assert(
      fc.property(priced, estimated, fc.nat(), ([price, units], [{ input, output }, tokens], pick) => {
        const names = [undefined, ...price.variants.keys()];
        const variant = names[pick % names.length];
        const cost = amount(costOf(price, { ...tokens, units: units.used }, variant));
        const most = { input, output, units: units.most };
        expect(amount(reserve(price, most, variant))).toBeGreaterThanOrEqual(cost);
        expect(amount(reserve(price, most))).toBeGreaterThanOrEqual(cost);
      }),
      { numRuns: 500 },
    );
  });

  test("units are reserved at exactly their price, whatever the variant, and a request at least once", () => {
    const price = bare({
      input_usd_per_mtok: "1",
      output_usd_per_mtok: "2",
      units: { search: "0.01", request: "0.005" },
      variants: { priority: "2" },
    });
    const reserved = (units: Record<string, number>, variant?: string) =>
      reserve(price, { input: 0, output: 0, units }, variant);
    expect(reserved({})).toBe(5_000_000n);
    expect(reserved({ search: 3 }, "priority")).toBe(35_000_000n);
    expect(reserved({ search: 3, request: 0 })).toBe(35_000_000n);
    expect(reserved({ request: 2 })).toBe(10_000_000n);
    expect(reserved({ image: 1 })).toEqual({ unpriced: "unit", name: "image" });
    expect(reserved({ image: 0 })).toBe(5_000_000n);
    expect(reserved({ constructor: 1 })).toEqual({ unpriced: "unit", name: "constructor" });
  });

  test("a model that is priced by units alone reserves nothing by tokens", () => {
    const price = bare({ input_usd_per_mtok: "0", output_usd_per_mtok: "0", units: { second: "0.1" } });
    expect(reserve(price, { input: 5, output: 5 })).toEqual({ unpriced: "units", name: "units" });
    expect(reserve(price, { input: 0, output: 0, units: {} })).toEqual({ unpriced: "units", name: "units" });
    expect(reserve(price, { input: 0, output: 0, units: { second: 7 } })).toBe(700_000_000n);
  });

  test("the reservation is never more than the most expensive class and tier that can apply", () => {
    const price = bare({
      input_usd_per_mtok: "1",
      output_usd_per_mtok: "2",
      cache_write_usd_per_mtok: "3",
      reasoning_usd_per_mtok: "5",
      tiers: [
        { above_input_tokens: 1000, input_usd_per_mtok: "7", output_usd_per_mtok: "1" },
        { above_input_tokens: 5000, input_usd_per_mtok: "0.5", output_usd_per_mtok: "1" },
      ],
      variants: { batch: "0.5", priority: "2" },
    });
    const reserved = (input: number, output: number, variant?: string) =>
      reserve(price, { input, output }, variant);
    expect(reserved(1000, 100, "standard")).toBe(1000n * 3000n + 100n * 5000n);
    expect(reserved(1001, 100, "standard")).toBe(1001n * 7000n + 100n * 5000n);
    // With one token less, it is in the more expensive tier below.
    expect(reserved(5001, 100, "standard")).toBe(5001n * 7000n + 100n * 5000n);
    expect(reserved(1000, 100, "batch")).toBe((1000n * 3000n + 100n * 5000n) / 2n);
    expect(reserved(1000, 100)).toBe((1000n * 3000n + 100n * 5000n) * 2n);
    expect(reserved(1, 1, "unheard")).toEqual({ unpriced: "variant", name: "unheard" });
  });

  test("a class without a rate costs as much as its total, never nothing", () => {
    const plain = bare({ input_usd_per_mtok: "3", output_usd_per_mtok: "15" });
    fc.assert(
      fc.property(usage, (used) => {
        const { input_tokens, output_tokens } = used;
        expect(costOf(plain, used)).toBe(costOf(plain, { input_tokens, output_tokens }));
      }),
    );
    for (const name of TOKEN_CLASS_NAMES) {
      const totals = { input_tokens: 1_000_000, output_tokens: 1_000_000, [`${name}_tokens`]: 1_000_000 };
      expect(costOf(plain, totals)).toBe(18_000_000_000n);
      expect(breakdownOf(plain, totals)).toContainEqual(
        expect.objectContaining({
          name,
          nanos: TOKEN_CLASSES[name] === "input" ? 3_000_000_000n : 15_000_000_000n,
        }),
      );
    }
  });
});

test("the largest entry includes the rounding", () => {
  const price = bare({
    input_usd_per_mtok: "0.0004",
    output_usd_per_mtok: "0.0009",
    cache_read_usd_per_mtok: "0.0004",
  });
  const entries = breakdownOf(price, { input_tokens: 2, output_tokens: 1, cache_read_tokens: 1 });
  expect(entries).toMatchObject([
    { name: "cache_read", nanos: 0n },
    { name: "input", nanos: 0n },
    { name: "output", nanos: 2n },
  ]);
});

test("a unit or a variant that the price does not have is refused, never free", () => {
  const price = bare({
    input_usd_per_mtok: "1",
    output_usd_per_mtok: "1",
    units: { web_search: "0.01" },
    variants: { batch: "0.5" },
  });
  const used = { input_tokens: 1, output_tokens: 1 };
  expect(costOf(price, used, "flex")).toEqual({ unpriced: "variant", name: "flex" });
  expect(costOf(price, used, "constructor")).toEqual({ unpriced: "variant", name: "constructor" });
  expect(costOf(price, { ...used, units: { constructor: 1 } })).toEqual({
    unpriced: "unit",
    name: "constructor",
  });
  expect(costOf(price, { ...used, units: { image: 0, web_search: 1 } })).toBe(10_002_000n);
});

test("a fraction of a nano-dollar is reserved and charged as one", () => {
  const tiny = bare({ input_usd_per_mtok: "0.000000001", output_usd_per_mtok: "0" });
  expect(costOf(tiny, { input_tokens: 1, output_tokens: 0 })).toBe(1n);
  expect(reserve(tiny, { input: 1, output: 0 })).toBe(1n);
  expect(reserve(tiny, { input: 1_000_001, output: 0 })).toBe(2n);
});

test("a free model is free", () => {
  const free = bare({ input_usd_per_mtok: "0", output_usd_per_mtok: "0" });
  const used = { input_tokens: 1000, output_tokens: 500, reasoning_tokens: 400 };
  expect(costOf(free, used)).toBe(0n);
  expect(sumOf(free, used)).toBe(0n);
  expect(reserve(free, { input: 1000, output: 500 })).toBe(0n);
});

test("equal terms are written the same", () => {
  const one = termsOf({
    input_usd_per_mtok: "3",
    output_usd_per_mtok: "15.0",
    variants: { b: "0.50", a: "2.0" },
  });
  const other = termsOf({
    output_usd_per_mtok: "015",
    input_usd_per_mtok: "3.000",
    variants: { a: "2", b: ".5".padStart(3, "0") },
  });
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  expect(one).toMatchObject({ variants: { a: "2", b: "0.5" }, cache_read_usd_per_mtok: null });
});

test("a tier without its own rate uses the model's input and output rates, and no class rate of a lower tier", () => {
  const terms = termsOf({
    input_usd_per_mtok: "3",
    output_usd_per_mtok: "15",
    cache_read_usd_per_mtok: "0.3",
    tiers: [{ above_input_tokens: 10, input_usd_per_mtok: "6" }],
  });
  expect(terms.tiers).toMatchObject([
    { input_usd_per_mtok: "6.00", output_usd_per_mtok: "15.00", cache_read_usd_per_mtok: null },
  ]);
  const used = { input_tokens: 1_000_000, output_tokens: 0, cache_read_tokens: 1_000_000 };
  expect(costOf(priceOf(terms), used)).toBe(6_000_000_000n);
});
