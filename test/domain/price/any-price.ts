import * as fc from "fast-check";
import { type RunUsage, TOKEN_CLASSES, TOKEN_CLASS_NAMES } from "../../../src/contract/token-classes.ts";
import type { Price, Rates } from "../../../src/domain/price/price.ts";

/** Rates of all sizes, down to fractions of a nano-dollar for a token, and free. */
const rate = fc.oneof(fc.constant(0n), fc.bigInt(0n, 5_000_000n), fc.bigInt(0n, 200_000_000_000n));

const rates: fc.Arbitrary<Rates> = fc
  .tuple(rate, rate, fc.array(fc.option(rate, { nil: undefined }), { minLength: 8, maxLength: 8 }))
  .map(([input, output, classes]) => ({
    input,
    output,
    ...Object.fromEntries(TOKEN_CLASS_NAMES.map((name, at) => [name, classes[at]])),
  }));

const tiers = fc
  .uniqueArray(fc.nat(400_000), { maxLength: 3 })
  .chain((bounds) =>
    fc
      .tuple(
        ...bounds
          .sort((a, b) => a - b)
          .map((above) => rates.map((own) => ({ aboveInputTokens: above, rates: own }))),
      )
      .map((all) => [...all]),
  );

const factors = fc
  .array(fc.oneof(fc.constant(500_000_000n), fc.bigInt(0n, 3_000_000_000n)), { maxLength: 3 })
  .map((all) => new Map(all.map((factor, at) => [`v${at}`, factor])));

export const anyPrice: fc.Arbitrary<Price> = fc
  .tuple(rates, tiers, factors)
  .map(([own, all, variants]) => ({ rates: own, tiers: all, units: new Map(), variants }));

const UNITS = ["search", "image", "request"] as const;

/** Any price that also has units, with or without a price for each request. */
export const anyPriceWithUnits: fc.Arbitrary<Price> = fc
  .tuple(anyPrice, rate, rate, fc.option(rate, { nil: undefined }))
  .map(([price, search, image, request]) => ({
    ...price,
    units: new Map([
      ["search", search],
      ["image", image],
      ...(request === undefined ? [] : [["request", request] as const]),
    ]),
  }));

/** Counts of units that a price has, and others that are no more than each of them. */
export function unitsWithin(price: Price): fc.Arbitrary<Record<"most" | "used", Record<string, number>>> {
  const names = UNITS.filter((name) => price.units.has(name));
  const counts = fc.tuple(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }));
  return fc.array(counts, { minLength: names.length, maxLength: names.length }).map((all) => ({
    most: Object.fromEntries(names.map((name, at) => [name, all[at]?.[0] ?? 0])),
    used: Object.fromEntries(
      names.map((name, at) => [name, Math.floor((all[at]?.[0] ?? 0) * (all[at]?.[1] ?? 0))]),
    ),
  }));
}

/** Any usage of at most this many tokens, split into any parts. */
export function usageWithin(input: number, output: number): fc.Arbitrary<RunUsage> {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 });
  return cuts.map((shares) => {
    const used = {
      input: Math.floor(input * (shares[8] ?? 1)),
      output: Math.floor(output * (shares[9] ?? 1)),
    };
    const left = { ...used };
    const parts = TOKEN_CLASS_NAMES.map((name, at) => {
      const part = Math.floor(left[TOKEN_CLASSES[name]] * (shares[at] ?? 0));
      left[TOKEN_CLASSES[name]] -= part;
      return [`${name}_tokens`, part] as const;
    });
    return { input_tokens: used.input, output_tokens: used.output, ...Object.fromEntries(parts) };
  });
}
