import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseUsd } from "../../src/domain/price/money.ts";
import { ceilingOf, reservationOf } from "../../src/domain/price/ceiling.ts";
import { costOf } from "../../src/domain/price/cost.ts";
import type { Price } from "../../src/domain/price/price.ts";
import { anthropicMessages } from "../../src/providers/apis/anthropic-messages.ts";
import { openAiSpeech } from "../../src/providers/apis/openai-audio.ts";
import { chatApi, openAiChat } from "../../src/providers/apis/openai-chat.ts";
import { openAiImages } from "../../src/providers/apis/openai-images.ts";
import { openAiResponses } from "../../src/providers/apis/openai-responses.ts";
import { PLAIN } from "../../src/providers/apis/request-members.ts";
import { type Charge, chargeOf } from "../../src/providers/charge.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { meter, meteringFrom } from "../../src/providers/metering.ts";
import type { MeteredRequest, ProviderApi } from "../../src/providers/provider-api.ts";
import { anyPriceWithUnits, usageWithin } from "../domain/price/any-price.ts";

const compatibleChat = chatApi();
const FACTS = { contextTokens: 100_000, outputTokens: 8000, reasons: false, pictureTokens: 1000 };

const read = (api: ProviderApi, body: JsonObject, hostedToolPasses?: number): MeteredRequest =>
  api.readRequest(body, {
    hostedToolPasses,
    pathModel: null,
    headers: new Headers(),
    query: new URLSearchParams(),
    facts: () => FACTS,
  });

describe("what a call is charged", () => {
  const count = fc.nat(20);
  const told = fc.option(fc.dictionary(fc.constantFrom("search", "image", "request", "other"), fc.nat(60)));
  const call = fc.record({
    units: fc.record({ search: count, image: count }),
    hasStarted: fc.boolean(),
    answers: fc.integer({ min: 1, max: 4 }),
    perAnswer: fc.option(fc.integer({ min: 1, max: 3000 })),
    fixedOutputTokens: fc.nat(500),
    inputTokens: fc.nat(120_000),
    isStream: fc.boolean(),
    hidesOutput: fc.boolean(),
    isWhole: fc.boolean(),
    isDone: fc.boolean(),
    hasUsage: fc.boolean(),
    countedOutput: fc.nat(2_000),
    told,
    fits: fc.double({ min: 0, max: 1, noNaN: true }),
    pick: fc.nat(),
  });

  test("never passes what was reserved for it at a host of which nothing is known, if its tokens are within its bounds", () => {
    fc.assert(
      fc.property(anyPriceWithUnits, call, fc.gen(), (price, given, pickOne) => {
        const { answers, perAnswer, units, fits, pick } = given;
        const request: MeteredRequest = {
          ...PLAIN,
          ...given,
          model: "m",
          outputBound: { perAnswer, usualPerAnswer: null, answers },
          startedUnits: given.hasStarted ? { image: units.image } : {},
        };
        const metered = meter(request, FACTS, meteringFrom({}));
        const {
          input_tokens: input,
          max_output_tokens: most,
          min_output_tokens: least = most,
        } = metered.estimate;
        const output = Math.floor(least + fits * (most - least));
        const reserved = reserve(price, { input, output, units: metered.estimate.units });
        const names = [null, ...price.variants.keys()];
        const usage = given.hasUsage ? pickOne(() => usageWithin(input, output)) : null;
        const charge = chargeOf(
          metered,
          { outputTokens: output, isBound: true, amountUsd: String(Number(reserved) / 1e9) },
          {
            isWhole: given.isWhole,
            isOtherHost: true,
            reading: {
              usage,
              units: given.told,
              variant: names[pick % names.length] ?? null,
              costUsd: null,
              isWhole: given.hasUsage,
              isStream: given.isStream,
              countedOutput: given.countedOutput,
              isDone: given.isDone,
              hasFailed: false,
              hasUncounted: false,
            },
          },
          false,
        );
        expect(chargedNanos(price, charge, reserved)).toBeLessThanOrEqual(reserved);
      }),
      { numRuns: 1000 },
    );
  });

  function reserve(
    price: Price,
    { input, output, units }: { input: number; output: number; units: Record<string, number> | undefined },
  ): bigint {
    const most = { inputTokens: input, outputTokens: output, units: units ?? { search: 0 } };
    const nanos = reservationOf(ceilingOf(price), most, undefined);
    if (typeof nanos !== "bigint") throw new Error(`no price for ${nanos.name}`);
    return nanos;
  }

  /** What the service makes of it. A run that it cannot price goes again with what was reserved. */
  function chargedNanos(price: Price, charge: Charge, reserved: bigint): bigint {
    if (charge.cost_usd !== undefined) return parseUsd(Number(charge.cost_usd).toFixed(9)) ?? 0n;
    const nanos = costOf(price, charge.usage, charge.variant);
    return typeof nanos === "bigint" ? nanos : reserved;
  }
});

describe("a request reserves", () => {
  const responses = (tools: object[], more: object = {}) =>
    read(openAiResponses, { model: "gpt-5", input: "hi", tools, ...more });

  test("as many calls of OpenAI's hosted tools as the body then allows", () => {
    const body = { model: "gpt-5", input: "hi", tools: [{ type: "web_search" }, { type: "file_search" }] };
    const given = (api: ProviderApi, own: JsonObject, hostedToolPasses?: number) => {
      const { units, passes } = read(api, own, hostedToolPasses);
      const sent = api.withBounds(own, { maxOutputTokens: null, hostedToolPasses });
      return { units, passes, calls: sent["max_tool_calls"] };
    };
    const searches = (calls: number) => ({
      units: { web_search: calls, file_search: calls },
      passes: calls + 1,
      calls,
    });
    expect(given(openAiResponses, body)).toEqual(searches(3));
    expect(given(openAiResponses, body, 8)).toEqual(searches(7));
    expect(given(openAiResponses, { ...body, max_tool_calls: 12 }, 8)).toEqual(searches(12));
    expect(given(openAiResponses, { model: "gpt-5", input: "hi" })).toEqual({
      units: {},
      passes: 1,
      calls: undefined,
    });
  });

  test("searches of the older tool by their own price, however the answer calls them", () => {
    const request = responses([{ type: "web_search_preview" }, { type: "web_search" }], {
      max_tool_calls: 4,
    });
    expect(request.units).toEqual({ web_search_preview: 4 });
    const answer = { usage: { input_tokens: 5, output_tokens: 7 }, output: [{ type: "web_search_call" }] };
    const charge = charged(request, openAiResponses, answer);
    expect(charge).toMatchObject({ usage: { units: { web_search_preview: 1 } }, estimated: false });
  });

  describe("what OpenAI's answer lists", () => {
    const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 };
    const output = [
      { type: "web_search_call", action: { type: "search" } },
      { type: "web_search_call", action: { type: "open_page" } },
      { type: "web_search_call", action: { type: "find_in_page" } },
    ];
    const request = responses([{ type: "web_search" }]);
    const units = (answer: object, asked = request) =>
      charged(asked, openAiResponses, { usage, ...answer }).usage.units;

    test("is charged: searches, and neither pages that were opened nor texts that were found in them", () => {
      expect(units({ output })).toEqual({ web_search: 1 });
      expect(units({ output, tool_usage: { web_search: { num_requests: 2 } } })).toEqual({ web_search: 2 });
      expect(units({ output, tool_usage: { web_search: { num_requests: 0 } } })).toBeUndefined();
      expect(units({})).toEqual({ web_search: 3 });
    });

    test("is charged of a stored prompt, whose tools of every kind are reserved and bounded", () => {
      const body = { model: "gpt-5", prompt: { id: "pmpt_1" }, max_tool_calls: null };
      const stored = read(openAiResponses, body);
      expect(stored).toMatchObject({
        units: { web_search_preview: 3, file_search: 3, code_interpreter_session: 1 },
        passes: 4,
        unseenInput: "prompt",
      });
      const sent = openAiResponses.withBounds(body, { maxOutputTokens: null });
      expect(sent).toMatchObject({ max_tool_calls: 3 });
      expect(units({ output: [] }, stored)).toBeUndefined();
      const tools = [
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } },
      ];
      const ran = [...output, { type: "code_interpreter_call" }];
      expect(units({ output: ran, tools }, stored)).toEqual({
        web_search: 1,
        code_interpreter_session_4g: 1,
      });
      const older = [{ type: "web_search_preview_2025_03_11" }];
      expect(units({ output, tools: older }, stored)).toEqual({ web_search_preview: 1 });
    });

    test("has 8,000 tokens of input more for each search of a small model, which its usage leaves out", () => {
      for (const [model, tool, more] of [
        ["gpt-4o-mini", "web_search", 8000],
        ["gpt-4.1-mini-2025-04-14", "web_search", 8000],
        ["gpt-4o-mini", "web_search_preview", 0],
        ["gpt-4o", "web_search", 0],
      ] as const) {
        const asked = read(openAiResponses, { model, input: "hi", tools: [{ type: tool }] });
        const { estimate } = meter(asked, FACTS, meteringFrom({}));
        expect([model, tool, estimate.input_tokens]).toEqual([model, tool, 400_000 + 3 * more]);
        const charge = charged(asked, openAiResponses, { usage, output });
        expect(charge).toMatchObject({ usage: { input_tokens: 5 + more }, estimated: more > 0 });
      }
    });
  });

  test("a container by its size, which is billed also if no code runs in it", () => {
    const tool = (container: unknown) => ({ type: "code_interpreter", container });
    const request = responses([tool({ type: "auto" }), tool({ type: "auto", memory_limit: "4g" })]);
    expect(request.units).toEqual({ code_interpreter_session: 1, code_interpreter_session_4g: 1 });
    const answer = { usage: { input_tokens: 5, output_tokens: 7 }, output: [] };
    expect(charged(request, openAiResponses, answer).usage.units).toEqual(request.units);
    expect(responses([tool("cntr_1")]).units).toEqual({ code_interpreter_session: 1 });
    for (const memory_limit of ["2g", "constructor", 4])
      expect(() => responses([tool({ type: "auto", memory_limit })])).toThrow(/memory_limit/);
  });

  test("as many of Anthropic's searches as each tool then allows", () => {
    const body = {
      model: "claude-sonnet-4-5",
      messages: [],
      max_tokens: 5,
      tools: [{ type: "web_search_20250305" }, { type: "web_search_20250305", max_uses: 2 }],
    };
    expect(read(anthropicMessages, body)).toMatchObject({ units: { web_search: 5 }, passes: 6 });
    const sent = anthropicMessages.withBounds(body, { maxOutputTokens: null });
    expect(sent["tools"]).toMatchObject([{ max_uses: 3 }, { max_uses: 2 }]);
    const more = anthropicMessages.withBounds(body, { maxOutputTokens: null, hostedToolPasses: 8 });
    expect([read(anthropicMessages, body, 8).passes, more["tools"]]).toMatchObject([
      10,
      [{ max_uses: 7 }, { max_uses: 2 }],
    ]);
  });

  test("a pass over the context for each page that Anthropic may fetch, and for tools of MCP servers", () => {
    const fetches = (tool: object, more: object = {}) => ({
      model: "claude-sonnet-4-5",
      messages: [],
      tools: [{ type: "web_fetch_20250910", name: "web_fetch", ...tool }],
      ...more,
    });
    expect(read(anthropicMessages, fetches({ max_uses: 9 }))).toMatchObject({ units: {}, passes: 10 });
    const sent = anthropicMessages.withBounds(fetches({}), { maxOutputTokens: null });
    expect([read(anthropicMessages, fetches({})).passes, sent["tools"]]).toMatchObject([
      4,
      [{ max_uses: 3 }],
    ]);
    const servers = { mcp_servers: [{ type: "url", url: "https://mcp.test", name: "one" }] };
    expect(read(anthropicMessages, fetches({}, servers)).passes).toBe(7);
    expect(() => read(anthropicMessages, fetches({ max_uses: 1001 }))).toThrow(/max_uses/);
  });

  test("one search for each answer of a model that always searches, and more of one that researches", () => {
    const units = (api: ProviderApi, model: string, more: object = {}) =>
      read(api, { model, messages: [], ...more }).units;
    expect(units(openAiChat, "gpt-4o-search-preview", { n: 2 })).toEqual({ web_search: 2 });
    expect(units(openAiChat, "gpt-4o", { web_search_options: {} })).toEqual({ web_search: 1 });
    expect(units(compatibleChat, "sonar-deep-research")).toEqual({ web_search: 100 });
    const reasoning = { ...FACTS, reasons: true };
    const searching = openAiChat.readRequest(
      { model: "gpt-5-search-api", messages: [] },
      { pathModel: null, headers: new Headers(), query: new URLSearchParams(), facts: () => reasoning },
    );
    expect(searching).toMatchObject({ units: { web_search: 3 }, passes: 4 });
    const whole = { usage: { prompt_tokens: 5, completion_tokens: 7 } };
    expect(charged(searching, openAiChat, whole)).toMatchObject({
      usage: { units: { web_search: 3 } },
      estimated: true,
    });
    expect(units(compatibleChat, "nousresearch/hermes-4-70b")).toEqual({});
    expect(units(openAiChat, "gpt-4o")).toEqual({});
  });

  test("what a model that researches says that it searched is charged", () => {
    const request = read(compatibleChat, { model: "sonar-deep-research", messages: [], max_tokens: 50 });
    const usage = { prompt_tokens: 5, completion_tokens: 7, num_search_queries: 21 };
    expect(charged(request, compatibleChat, { usage }).usage.units).toEqual({ web_search: 21 });
  });

  test("pictures and characters of models that are billed by them", () => {
    const picture = read(openAiImages, { model: "dall-e-3", prompt: "a cat", n: 3 });
    expect(meter(picture, FACTS, meteringFrom({})).estimate).toEqual({
      input_tokens: 0,
      max_output_tokens: 0,
      units: { image_generation: 3 },
    });
    expect(read(openAiSpeech, { model: "tts-1", input: "hello" }).units).toEqual({ speech_character: 5 });
  });
});

function charged(request: MeteredRequest, api: ProviderApi, answer: JsonObject): Charge {
  const metered = meter(request, FACTS, meteringFrom({}));
  const reading = {
    ...api.readAnswer(answer),
    isWhole: true,
    isStream: false,
    countedOutput: 0,
    isDone: false,
    hasFailed: false,
    hasUncounted: false,
  };
  const reserved = { outputTokens: metered.estimate.max_output_tokens, isBound: true, amountUsd: "9" };
  return chargeOf(metered, reserved, { reading, isWhole: true, isOtherHost: false }, false);
}

test("units that nobody here could bound are charged as they are told", () => {
  const request: MeteredRequest = { ...PLAIN, model: "m", inputTokens: 5 };
  const metered = meter(request, FACTS, meteringFrom({}));
  const reading = {
    ...anthropicMessages.readAnswer({
      usage: { input_tokens: 5, output_tokens: 0, server_tool_use: { web_search_requests: 3 } },
    }),
    isWhole: true,
    isStream: false,
    countedOutput: 0,
    isDone: true,
    hasFailed: false,
    hasUncounted: false,
  };
  const charge = (isBound: boolean) =>
    chargeOf(
      metered,
      { outputTokens: 0, isBound, amountUsd: "1" },
      { reading, isWhole: true, isOtherHost: true },
      false,
    );
  expect(charge(false)).toMatchObject({ usage: { units: { web_search: 3 } }, estimated: false });
  expect(charge(true)).toMatchObject({ estimated: true });
  expect(charge(true).usage.units).toBeUndefined();
});
