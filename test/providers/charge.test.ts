import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Charge, chargeOf } from "../../src/providers/charge.ts";
import {
  boundToWrite,
  maxPriceOf,
  meter,
  meteringFrom,
  type SomeMetering,
} from "../../src/providers/metering.ts";
import { PLAIN } from "../../src/providers/apis/request-members.ts";
import type { MeteredRequest, Usage } from "../../src/providers/provider-api.ts";
import type { Reading } from "../../src/providers/usage/reading.ts";

const FACTS = { contextTokens: 100_000, outputTokens: 8000, reasons: false, pictureTokens: 1000 };
const BOUND = { perAnswer: 500, usualPerAnswer: null, answers: 1 };
const REQUEST: MeteredRequest = {
  ...PLAIN,
  model: "m",
  isStream: true,
  inputTokens: 1000,
  outputBound: BOUND,
};
const READING: Reading = {
  usage: null,
  units: null,
  variant: null,
  costUsd: null,
  isWhole: false,
  isStream: true,
  countedOutput: 0,
  hasUncounted: false,
  isDone: false,
  hasFailed: false,
};

const metered = (request: Partial<MeteredRequest> = {}, options: SomeMetering = {}) =>
  meter({ ...REQUEST, ...request }, FACTS, meteringFrom(options));

interface Given {
  readonly request?: Partial<MeteredRequest>;
  readonly reading?: Partial<Reading> | null;
  readonly isWhole?: boolean;
  readonly isBound?: boolean;
  readonly trustsCost?: boolean;
  readonly isOtherHost?: boolean;
}

function charged({
  request,
  reading = {},
  isWhole = false,
  isBound = true,
  trustsCost = false,
  isOtherHost = false,
}: Given): Charge {
  const one = metered(request);
  const reserved = { outputTokens: one.estimate.max_output_tokens, isBound, amountUsd: "9.99" };
  const ended = { reading: reading === null ? null : { ...READING, ...reading }, isWhole, isOtherHost };
  return chargeOf(one, reserved, ended, trustsCost);
}

const usage: Usage = { input_tokens: 40, output_tokens: 30 };
const told = { usage, isWhole: true };

describe("the bound of a call", () => {
  test("is the caller's own, else the usual one, or the model's if that is lower", () => {
    expect(metered().estimate).toEqual({ input_tokens: 1000, max_output_tokens: 500 });
    const none = { outputBound: { ...BOUND, perAnswer: null } };
    expect(metered(none).estimate).toMatchObject({ max_output_tokens: 8000, min_output_tokens: 256 });
    expect(metered(none, { defaultMaxOutputTokens: 100 }).estimate).toMatchObject({
      max_output_tokens: 100,
      min_output_tokens: 100,
    });
  });

  test("is multiplied by the answers, and what fits is shared between them", () => {
    const one = metered({ outputBound: { perAnswer: null, usualPerAnswer: null, answers: 4 } });
    expect(one.estimate).toMatchObject({ max_output_tokens: 32_000, min_output_tokens: 1024 });
    expect(boundToWrite(one, 2050)).toBe(512);
    expect(boundToWrite(one, undefined)).toBe(8000);
  });

  test("is not written where the caller has set one, or where there is no output", () => {
    expect(boundToWrite(metered(), 100)).toBeNull();
    expect(boundToWrite(metered({ outputBound: null }), 100)).toBeNull();
  });

  test("on the price of a host admits the reserved rates, and never more than twice what was reserved", () => {
    const rates = fc.integer({ min: 1, max: 1_000_000 });
    const counts = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(rates, rates, counts, counts, (prompt, completion, input_tokens, max_output_tokens) => {
        const estimate = { input_tokens, max_output_tokens };
        const amount = (prompt * input_tokens + completion * max_output_tokens) / 1e9;
        const price = maxPriceOf(
          { ...metered(), estimate },
          { amount_usd: amount.toFixed(12), max_output_tokens },
        );
        if (price === null) throw new Error("it has a price");
        expect(price.prompt * 1000).toBeGreaterThanOrEqual(prompt - 1e-3);
        expect(price.completion * 1000).toBeGreaterThanOrEqual(completion - 1e-3);
        const most = (price.prompt * input_tokens + price.completion * max_output_tokens) / 1e6;
        expect(most).toBeLessThanOrEqual(2 * amount + (input_tokens + max_output_tokens) / 1e12 + 1e-9);
      }),
    );
    expect(maxPriceOf(metered(), { amount_usd: "0" })).toBeNull();
  });

  test("never lets more be written than was reserved, whatever is reserved", () => {
    const request = fc.record({
      answers: fc.integer({ min: 1, max: 1024 }),
      fixed: fc.nat(100_000),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(request, ({ answers, fixed, share }) => {
        const outputBound = { perAnswer: null, usualPerAnswer: null, answers };
        const one = metered({ outputBound, fixedOutputTokens: fixed });
        const { max_output_tokens: most, min_output_tokens: least = 0 } = one.estimate;
        const reserved = Math.floor(least + share * (most - least));
        const bound = boundToWrite(one, reserved) ?? 0;
        expect(bound).toBeGreaterThanOrEqual(Math.min(256, FACTS.outputTokens));
        expect(bound * answers + fixed).toBeLessThanOrEqual(reserved);
      }),
    );
  });

  test("is refused where it is larger than any number of tokens", () => {
    expect(() => metered({ outputBound: { perAnswer: 1e12, usualPerAnswer: null, answers: 2 } })).toThrow(
      /too large/,
    );
  });
});

describe("input that the body does not show", () => {
  test("is reserved at the largest context, or refused", () => {
    expect(metered({ unseenInput: "file_id" }).estimate.input_tokens).toBe(100_000);
    expect(metered({ unseenInput: "web_search", passes: 4 }).estimate.input_tokens).toBe(400_000);
    expect(() => metered({ unseenInput: "file_id" }, { unseenInput: "refuse" })).toThrow(
      /file_id is not allowed/,
    );
  });

  test("and work in the background is refused, or charged at all that was reserved", () => {
    expect(() => metered({ isBackground: true })).toThrow(/background/);
    const one = metered({ isBackground: true }, { background: "reserve" });
    const reserved = { outputTokens: 500, isBound: true, amountUsd: "9.99" };
    const reading = { ...READING, ...told };
    expect(chargeOf(one, reserved, { reading, isWhole: true, isOtherHost: false }, false)).toMatchObject({
      cost_usd: "9.99",
      estimated: true,
    });
  });
});

describe("a whole answer is charged by its usage", () => {
  test("as the provider says", () => {
    expect(charged({ reading: told, isWhole: true })).toEqual({ usage, estimated: false });
    expect(charged({ reading: { ...told, isDone: true } })).toEqual({ usage, estimated: false });
  });

  test("in full with all classes, also above the context of the model and the bound of the call", () => {
    const large = {
      input_tokens: 650_000,
      output_tokens: 9000,
      cache_read_tokens: 1000,
      audio_input_tokens: 500,
      reasoning_tokens: 800,
    };
    const reading = { usage: large, isWhole: true, units: { web_search: 13 } };
    const request = { units: { web_search: 3 } };
    expect(charged({ request, reading, isWhole: true })).toEqual({
      usage: { ...large, units: { web_search: 13 } },
      estimated: false,
    });
    const part = charged({ reading: { usage: large, countedOutput: 1e6 } });
    expect(part).toEqual({ usage: large, estimated: true });
  });

  test("at a host of which nothing is known: within the bound and the context, all classes in proportion", () => {
    const hostile = {
      input_tokens: 1e12,
      output_tokens: 1e12,
      audio_input_tokens: 5e11,
      cache_read_tokens: 1e11,
      reasoning_tokens: 1e11,
    };
    const given = { reading: { usage: hostile, isWhole: true }, isWhole: true, isOtherHost: true };
    const input = { input_tokens: 100_000, audio_input_tokens: 50_000, cache_read_tokens: 10_000 };
    expect(charged(given)).toEqual({
      usage: { ...input, output_tokens: 500, reasoning_tokens: 50 },
      estimated: true,
    });
    expect(charged({ ...given, isBound: false }).usage).toEqual({
      ...input,
      output_tokens: 8000,
      reasoning_tokens: 800,
    });
    expect(charged({ ...given, request: { passes: 4 } }).usage.input_tokens).toBe(400_000);
    expect(charged({ ...given, isWhole: false }).usage).toEqual(charged(given).usage);
  });

  test("as an estimate, where the sum of passes may hide that each was below a price tier", () => {
    const facts = { ...FACTS, contextTokens: 1_000_000 };
    const estimated = (passes: number, input_tokens: number, own = facts) => {
      const one = meter({ ...REQUEST, passes, unseenInput: "web_search" }, own, meteringFrom({}));
      const reserved = { outputTokens: 500, isBound: true, amountUsd: "9.99" };
      const reading = { ...READING, isWhole: true, usage: { input_tokens, output_tokens: 1 } };
      return chargeOf(one, reserved, { reading, isWhole: true, isOtherHost: false }, false).estimated;
    };
    expect([estimated(4, 200_001), estimated(4, 200_000), estimated(1, 900_000)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(estimated(4, 650_000, { ...facts, contextTokens: 200_000 })).toBe(false);
  });

  test("with units as told, as far as the request allowed them, else all of them", () => {
    const request = { units: { web_search: 5 } };
    const units = (given: Partial<Reading>) =>
      charged({ request, reading: { ...told, ...given }, isWhole: true, isOtherHost: true });
    expect(units({ units: { web_search: 2 } }).usage.units).toEqual({ web_search: 2 });
    expect(units({ units: { web_search: 9, other: 1 } })).toMatchObject({
      usage: { units: { web_search: 5 } },
      estimated: true,
    });
    expect(units({ units: null }).usage.units).toEqual({ web_search: 5 });
    expect(units({ units: {} }).usage.units).toBeUndefined();
  });

  test("by the tier that served it, and by the provider's own cost only where it is trusted", () => {
    const variant = (asked: string | null, said: string | null) =>
      charged({ request: { variant: asked }, reading: { ...told, variant: said }, isWhole: true });
    expect(variant("priority", "standard")).toHaveProperty("variant", undefined);
    expect(variant(null, "priority")).toMatchObject({ variant: "priority" });
    expect(variant("priority", null)).toMatchObject({ variant: "priority" });
    // A host that does not know the cheaper tier serves the standard one.
    expect(variant("flex", null)).not.toHaveProperty("variant");
    expect(variant("flex", "flex")).toMatchObject({ variant: "flex" });
    expect(variant(null, "batch")).not.toHaveProperty("variant");
    const reading = { ...told, costUsd: "0.5" };
    expect(charged({ reading, isWhole: true, trustsCost: true })).toMatchObject({ cost_usd: "0.5" });
    expect(charged({ reading, isWhole: true })).not.toHaveProperty("cost_usd");
  });
});

describe("a usage below what passed is not believed", () => {
  const texts = ["x".repeat(1280)];
  const whole = (given: Partial<Reading>, request: Partial<MeteredRequest> = {}) =>
    charged({ request: { texts, ...request }, reading: { isWhole: true, ...given }, isWhole: true });

  test.each<[string, Partial<Reading>, Partial<MeteredRequest>, Usage]>([
    [
      "nothing at all",
      { usage: { input_tokens: 0, output_tokens: 0 } },
      {},
      { input_tokens: 1000, output_tokens: 1 },
    ],
    [
      "nothing for a stream of 840 bytes",
      { usage: { input_tokens: 10, output_tokens: 0 }, countedOutput: 840 },
      {},
      { input_tokens: 10, output_tokens: 500 },
    ],
    [
      "fewer tokens than bytes can have",
      { usage: { input_tokens: 10, output_tokens: 2 }, countedOutput: 300 },
      {},
      { input_tokens: 10, output_tokens: 300 },
    ],
    [
      "less input than its text can have",
      { usage: { input_tokens: 9, output_tokens: 5 } },
      {},
      { input_tokens: 1000, output_tokens: 5 },
    ],
    [
      "an embedding of nothing",
      { usage: { input_tokens: 0, output_tokens: 0 } },
      { outputBound: null },
      { input_tokens: 1000, output_tokens: 0 },
    ],
  ])("%s", (_, reading, request, charge) => {
    expect(whole(reading, request)).toEqual({ usage: charge, estimated: true });
  });

  test("and one that can be true is", () => {
    const least = { input_tokens: 10, output_tokens: 3 };
    expect(whole({ usage: least, countedOutput: 300 })).toEqual({ usage: least, estimated: false });
    const timed = { inputTokens: 0, texts: [], outputBound: null };
    const none = { input_tokens: 0, output_tokens: 0 };
    expect(whole({ usage: none }, timed)).toEqual({ usage: none, estimated: false });
  });

  test.each<[string, Partial<MeteredRequest>, Partial<Reading>]>([
    ["input", { hasCostlyInput: true }, { hidesInputClasses: true }],
    ["output", { hasCostlyOutput: true }, { hidesOutputClasses: true }],
  ])(
    "%s above the rate of text that it does not tell apart is charged at what was reserved",
    (_, costly, hides) => {
      expect(charged({ request: costly, reading: { ...told, ...hides }, isWhole: true })).toMatchObject({
        cost_usd: "9.99",
        estimated: true,
      });
      expect(charged({ request: costly, reading: told, isWhole: true })).toMatchObject({
        usage,
        estimated: false,
      });
      expect(charged({ reading: { ...told, ...hides }, isWhole: true })).toMatchObject({
        usage,
        estimated: false,
      });
    },
  );
});

describe("an answer that was left or broken off is charged by the most that is known", () => {
  const part = { usage: { input_tokens: 40, output_tokens: 1 }, countedOutput: 12 };

  test("by its input as told and its output as counted, or as told if that is more", () => {
    expect(charged({ reading: part })).toEqual({
      usage: { input_tokens: 40, output_tokens: 12 },
      estimated: true,
    });
    const later = { usage: { input_tokens: 40, output_tokens: 20 }, isWhole: true, countedOutput: 12 };
    expect(charged({ reading: later }).usage.output_tokens).toBe(20);
  });

  test("as counted, where the provider itself broke off, also if it reasons", () => {
    const given = { request: { hidesOutput: true }, isWhole: true };
    expect(charged({ ...given, reading: { ...part, hasFailed: true } })).toEqual({
      usage: { input_tokens: 40, output_tokens: 12 },
      estimated: true,
    });
    expect(charged({ ...given, reading: part }).cost_usd).toBe("9.99");
  });

  test("by the upper estimate of its input, where nothing was told", () => {
    expect(charged({ reading: { countedOutput: 3 } }).usage).toEqual({
      input_tokens: 1000,
      output_tokens: 3,
    });
    expect(charged({ reading: null }).usage).toEqual({ input_tokens: 1000, output_tokens: 0 });
  });

  test("by input that may cost more than text as it was told", () => {
    expect(charged({ request: { hasCostlyInput: true }, reading: part }).usage).toEqual({
      input_tokens: 40,
      output_tokens: 12,
    });
  });

  test("by the tier that was told, else the one that was asked for", () => {
    const variant = (asked: string | null, said: string | null) =>
      charged({ request: { variant: asked }, reading: { ...part, variant: said } }).variant;
    expect([variant(null, "priority"), variant("priority", null), variant("flex", null)]).toEqual([
      "priority",
      "priority",
      undefined,
    ]);
  });

  test.each([
    ["its output may be hidden", { request: { hidesOutput: true }, reading: part }],
    ["some of its output was no text", { reading: { ...part, hasUncounted: true } }],
    ["its input is not in the body", { request: { unseenInput: "file_id" }, reading: part }],
    [
      "its input may cost more than text",
      { request: { hasCostlyInput: true }, reading: { countedOutput: 3 } },
    ],
    ["nothing came of input that may cost more", { request: { hasCostlyInput: true }, reading: null }],
    ["it is no stream", { request: { isStream: false }, reading: { ...part, isStream: false } }],
    ["nothing came of an answer that is no stream", { request: { isStream: false }, reading: null }],
  ])("at what was reserved, where %s", (_, given) => {
    expect(charged(given)).toMatchObject({
      cost_usd: "9.99",
      usage: { output_tokens: 500 },
      estimated: true,
    });
  });
});

test("no charge has more output than was reserved, whatever an unknown host and the caller do", () => {
  const count = fc.oneof(fc.nat(2000), fc.constant(1e12));
  const reading = fc.record({
    usage: fc.option(fc.record({ input_tokens: count, output_tokens: count }), { nil: null }),
    isWhole: fc.boolean(),
    isStream: fc.boolean(),
    isDone: fc.boolean(),
    countedOutput: count,
  });
  fc.assert(
    fc.property(
      fc.option(reading, { nil: null }),
      fc.boolean(),
      fc.boolean(),
      (read, isWhole, hidesOutput) => {
        const { usage: charge } = charged({
          reading: read,
          isWhole,
          request: { hidesOutput },
          isOtherHost: true,
        });
        expect(charge.output_tokens).toBeLessThanOrEqual(500);
        expect(charge.input_tokens).toBeLessThanOrEqual(100_000);
      },
    ),
  );
});
