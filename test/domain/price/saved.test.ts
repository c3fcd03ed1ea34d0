import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TOKEN_CLASS_NAMES } from "../../../src/contract/token-classes.ts";
import { costOf, savingOf } from "../../../src/domain/price/cost.ts";
import { isUnpriced } from "../../../src/domain/price/unpriced.ts";
import { priceOf, termsOf } from "../../../src/domain/price/terms.ts";
import { COUNTED, sumSavings, savedParts } from "../../../src/domain/usage-report/sums.ts";

const PRICE = priceOf(
  termsOf({
    input_usd_per_mtok: "4",
    output_usd_per_mtok: "8",
    cache_read_usd_per_mtok: "1",
    cache_write_usd_per_mtok: "5",
    tiers: [{ above_input_tokens: 1000, input_usd_per_mtok: "6", cache_read_usd_per_mtok: "2" }],
    variants: { batch: "0.5", flex: "0.75", priority: "2" },
  }),
);

function saved(usage: Parameters<typeof costOf>[1], variant?: string): bigint {
  const cost = costOf(PRICE, usage, variant);
  if (isUnpriced(cost)) throw new Error("no price");
  return savingOf(PRICE, usage, { cost, variant });
}

describe("what a run saved", () => {
  const plain = { input_tokens: 100, output_tokens: 10 };

  test.each([
    ["nothing without a cache or a variant", plain, undefined, 0n],
    [
      "the difference of the rates on cache reads",
      { ...plain, cache_read_tokens: 40 },
      undefined,
      40n * 3000n,
    ],
    ["nothing on what is written to the cache", { ...plain, cache_write_tokens: 40 }, undefined, 0n],
    ["half of a batch", plain, "batch", (100n * 4000n + 10n * 8000n) / 2n],
    ["the same of any cheaper variant", plain, "flex", (100n * 4000n + 10n * 8000n) / 4n],
    [
      "both on cache reads of a batch",
      { ...plain, cache_read_tokens: 40 },
      "batch",
      100n * 4000n + 10n * 8000n - (60n * 4000n + 40n * 1000n + 10n * 8000n) / 2n,
    ],
    ["nothing by a variant that costs more", plain, "priority", 0n],
    ["its cache at the rates of that variant", { ...plain, cache_read_tokens: 40 }, "priority", 40n * 6000n],
    [
      "its cache at the rates of its tier",
      { input_tokens: 2000, output_tokens: 0, cache_read_tokens: 1500 },
      undefined,
      1500n * 4000n,
    ],
    ["a part of a nano-dollar as the cost is rounded", { input_tokens: 1, output_tokens: 0 }, "batch", 2000n],
  ] as const)("is %s", (_, usage, variant, nanos) => {
    expect(saved(usage, variant)).toBe(nanos);
  });

  test("is never below zero, also where a cache costs more than none", () => {
    const odd = priceOf(
      termsOf({ input_usd_per_mtok: "1", output_usd_per_mtok: "1", cache_read_usd_per_mtok: "2" }),
    );
    const usage = { input_tokens: 10, output_tokens: 0, cache_read_tokens: 10 };
    expect(savingOf(odd, usage, { cost: 20_000n, variant: undefined })).toBe(0n);
  });

  test("is added up exactly as numbers, for any amounts", () => {
    const most = 1_000_000_000_000_000_000n;
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: most }), { maxLength: 200 }), (amounts) => {
        const counts = Array<number>(COUNTED.length).fill(0);
        for (const amount of amounts) {
          const parts = savedParts(String(amount));
          counts[COUNTED.indexOf("saved_low")] =
            (counts[COUNTED.indexOf("saved_low")] ?? 0) + parts.saved_low;
          counts[COUNTED.indexOf("saved_high")] =
            (counts[COUNTED.indexOf("saved_high")] ?? 0) + parts.saved_high;
        }
        expect(sumSavings(counts)).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
      }),
    );
  });
});

test("stored counts keep their order, and every class of tokens is counted", () => {
  expect(COUNTED.slice(0, 13)).toEqual([
    "runs",
    "input",
    "output",
    "cache_read",
    "cache_write",
    "cache_write_1h",
    "audio_input",
    "image_input",
    "reasoning",
    "audio_output",
    "image_output",
    "saved_low",
    "saved_high",
  ]);
  expect(TOKEN_CLASS_NAMES.filter((name) => !(COUNTED as readonly string[]).includes(name))).toEqual([]);
});
