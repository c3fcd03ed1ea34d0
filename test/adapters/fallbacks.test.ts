import { describe, expect, test } from "vitest";
import { sluiceMiddleware, type SluiceMiddlewareOptions } from "../../src/adapters/ai-sdk.ts";
import { governedFetch, type GovernedFetchOptions } from "../../src/adapters/fetch.ts";
import { createGate } from "../../src/client/gate/index.ts";
import type { FallbackRule } from "../../src/client/generated/types.ts";
import { refuse } from "../../src/contract/refusal.ts";
import { SdkModel } from "../support/sdk-model.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

const CAP = refuse("spend_cap_exceeded", {
  cap_usd: "1",
  spent_usd: "1",
  resets_at: "2026-01-01T00:00:00+00:00",
});
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const URL_OF_CHAT = "https://api.openai.com/v1/chat/completions";
const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };

const ruleOf = (then: FallbackRule["then"], more: Partial<FallbackRule> = {}): FallbackRule => ({
  name: "cheaper",
  then,
  on: ["limit", "provider_error"],
  begins: false,
  ...more,
});
const MINI = { model: "gpt-4o-mini", provider: null };

function serviceWith(rules: readonly FallbackRule[]): SmallService {
  const service = new SmallService();
  service.rules = rules;
  service.judge = ({ model }) => (model === "gpt-4o" ? CAP : null);
  return service;
}

interface Request {
  readonly url: string;
  readonly model: string | undefined;
  readonly headers: Headers;
}

/** Makes a call with `governedFetch`. */
async function fetched(
  service: SmallService,
  more: Partial<GovernedFetchOptions> & {
    at?: string;
    body?: object;
    respond?: (model?: string) => Response;
  } = {},
) {
  const sent: Request[] = [];
  const { at = URL_OF_CHAT, body = CHAT, respond, ...options } = more;
  const gate = createGate({ binding: service, key: SMALL_KEY });
  const fetch: GovernedFetchOptions["fetch"] = async (url, init) => {
    const { model } = JSON.parse(init?.body as string) as { model?: string };
    sent.push({ url: url as string, model, headers: new Headers(init?.headers) });
    return respond?.(model) ?? Response.json({ usage: USAGE, choices: [] });
  };
  const answer = await governedFetch({ gate, fetch, ...options })(at, {
    method: "POST",
    headers: { authorization: "Bearer sk-openai" },
    body: JSON.stringify(body),
  });
  await answer.clone().text();
  await gate.flush();
  return { answer, sent };
}

describe("governedFetch", () => {
  test("goes on to the next model after a refusal of a limit, with a request id of its own", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    const { answer, sent } = await fetched(service, { ask: { request_id: "r1" } });
    expect([answer.status, answer.headers.get("x-sluice-model")]).toEqual([200, "gpt-4o-mini"]);
    expect(sent.map(({ model }) => model)).toEqual(["gpt-4o-mini"]);
    expect(service.asks.map(({ request_id }) => request_id as string)).toEqual(["r1", "r1~1"]);
    expect(service.runs).toMatchObject([
      { model: "gpt-4o-mini", requested_model: "gpt-4o", fallback: "cheaper" },
    ]);
    expect(service.open.size).toBe(0);
  });

  test("prices the model that it sends, whatever was said about the first one", async () => {
    const service = serviceWith([ruleOf([{ model: "llama", provider: "groq" }])]);
    const { sent } = await fetched(service, {
      provider: "openai",
      ask: { model: "gpt-4o", provider: "openai" },
      fallbackKeys: { groq: "gsk" },
    });
    expect(sent).toMatchObject([{ url: "https://api.groq.com/openai/v1/chat/completions", model: "llama" }]);
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer gsk");
    expect(service.asks.at(-1)).toMatchObject({ model: "llama", provider: "groq" });
    expect(service.runs).toMatchObject([{ model: "llama", provider: "groq" }]);
  });

  test("sends no key to a provider that it was not given for", async () => {
    const service = serviceWith([ruleOf([{ model: "llama", provider: "groq" }])]);
    const { answer, sent } = await fetched(service, { fallbackKeys: { mistral: "m" } });
    expect([answer.status, sent]).toEqual([402, []]);
  });

  test("goes on to another deployment by its path", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    const at = "https://acme.openai.azure.com/openai/deployments/large/chat/completions?api-version=1";
    const { model: _, ...body } = CHAT;
    const deployments = { large: "gpt-4o", small: "gpt-4o-mini" };
    const { sent } = await fetched(service, { at, body, deployments });
    expect(sent.map(({ url }) => url)).toEqual([at.replace("large", "small")]);
    expect(service.runs).toMatchObject([{ model: "gpt-4o-mini", requested_model: "gpt-4o" }]);
  });

  test("goes on after a provider that is busy, and not after one that refuses the request or was not heard", async () => {
    for (const [status, models, run] of [
      [503, ["gpt-4.1", "gpt-4o-mini"], { cost_usd: "0", outcome: "failed" }],
      [400, ["gpt-4.1"], { cost_usd: "0", outcome: "failed" }],
      [504, ["gpt-4.1"], { cost_usd: "1.00", outcome: "unknown", estimated: true }],
    ] as const) {
      const service = serviceWith([ruleOf([MINI])]);
      const respond = (model?: string) =>
        model === "gpt-4.1" ? new Response("no", { status }) : Response.json({});
      const { answer, sent } = await fetched(service, { body: { ...CHAT, model: "gpt-4.1" }, respond });
      expect(sent.map(({ model }) => model)).toEqual(models);
      expect(answer.status).toBe(models.length === 2 ? 200 : status);
      expect(service.runs[0]).toMatchObject({ model: "gpt-4.1", ...run });
    }
  });

  test("goes on after a connection that was never made, and charges one that was lost", async () => {
    for (const [code, models, run] of [
      ["ECONNREFUSED", ["gpt-4.1", "gpt-4o-mini"], { cost_usd: "0", outcome: "failed" }],
      ["ECONNRESET", ["gpt-4.1"], { cost_usd: "1.00", outcome: "unknown", estimated: true }],
    ] as const) {
      const service = serviceWith([ruleOf([MINI])]);
      const respond = (model?: string) => {
        if (model === "gpt-4.1") throw Object.assign(new TypeError("fetch failed"), { cause: { code } });
        return Response.json({});
      };
      const sent: string[] = [];
      const call = fetched(service, {
        body: { ...CHAT, model: "gpt-4.1" },
        respond: (model) => (sent.push(model ?? ""), respond(model)),
      });
      await call.catch(() => undefined);
      await expect.poll(() => service.runs[0]).toMatchObject({ model: "gpt-4.1", ...run });
      expect(sent).toEqual(models);
    }
  });
});

/** A model of the AI SDK, and how its provider answers. */
function modelOf(
  model: string,
  called: string[],
  respond = () => Response.json({ usage: USAGE, choices: [] }),
) {
  const fetch = async () => (called.push(model), respond());
  const body = { model, messages: [], max_tokens: 5 };
  return new SdkModel("openai.chat", model, { url: URL_OF_CHAT, body, fetch });
}

describe("the AI SDK's middleware", () => {
  async function generated(
    service: SmallService,
    respond?: () => Response,
    more: Partial<SluiceMiddlewareOptions> = {},
  ) {
    const called: string[] = [];
    const gate = createGate({ binding: service, key: SMALL_KEY });
    const fallbackModel = ({ model }: { model: string }) => modelOf(model, called);
    const middleware = sluiceMiddleware({ gate, fallbackModel, ...more });
    const model = modelOf("gpt-4o", called, respond);
    const params = { maxOutputTokens: 5 };
    const error = await middleware.wrapGenerate({ model, params }).then(
      () => null,
      (thrownError: unknown) => thrownError,
    );
    await gate.flush();
    return { called, error };
  }

  test("goes on to the next model after a refusal of a limit", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    expect((await generated(service)).called).toEqual(["gpt-4o-mini"]);
    expect(service.runs).toMatchObject([{ model: "gpt-4o-mini", requested_model: "gpt-4o" }]);
  });

  test("prices the model that it calls, and not the one that its owner named for the first", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    const ask = { model: "gpt-4o", provider: "other" };
    await generated(service, undefined, { model: "gpt-4o", ask });
    expect(service.asks.at(-1)).toMatchObject({ model: "gpt-4o-mini", provider: "openai" });
  });

  test("calls no other model unless it is given one", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    const { called, error } = await generated(service, undefined, { fallbackModel: () => undefined });
    expect([called, (error as { code?: string }).code]).toEqual([[], "spend_cap_exceeded"]);
  });

  const failing = (code: string) => () => {
    throw Object.assign(new TypeError("fetch failed"), { cause: { code } });
  };
  test.each([
    ["a provider that is busy", () => new Response("no", { status: 503 }), true, "0"],
    ["one that cannot be reached", failing("ECONNREFUSED"), true, "0"],
    ["one that refuses the request", () => new Response("no", { status: 400 }), false, "0"],
    // These may have been billed.
    ["a connection that was lost", failing("ECONNRESET"), false, "1.00"],
    ["one that somebody gave up waiting for", () => new Response("no", { status: 504 }), false, "1.00"],
    // The answer came, was billed, and could not be read.
    ["an answer that is none", () => new Response("<html>"), false, "1.00"],
  ])("after %s goes on: %s", async (_, respond, goesOn, cost) => {
    const service = serviceWith([ruleOf([MINI])]);
    service.judge = () => null;
    const { called, error } = await generated(service, respond);
    expect(called).toEqual(goesOn ? ["gpt-4o", "gpt-4o-mini"] : ["gpt-4o"]);
    expect(error === null).toBe(goesOn);
    expect(service.runs[0]).toMatchObject({ model: "gpt-4o", cost_usd: cost });
    expect(service.open.size).toBe(0);
  });

  test("passes over a model whose requests cannot be seen", async () => {
    const service = serviceWith([ruleOf([MINI, { model: "gpt-4.1", provider: null }])]);
    const fallbackModel: SluiceMiddlewareOptions["fallbackModel"] = ({ model }) =>
      model === "gpt-4.1" ? modelOf(model, called) : { provider: "openai", modelId: model };
    const called: string[] = [];
    await generated(service, undefined, { fallbackModel });
    expect(called).toEqual(["gpt-4.1"]);
  });

  test("goes on with a stream, too", async () => {
    const service = serviceWith([ruleOf([MINI])]);
    const called: string[] = [];
    const gate = createGate({ binding: service, key: SMALL_KEY });
    const middleware = sluiceMiddleware({ gate, fallbackModel: ({ model }) => modelOf(model, called) });
    const params = { maxOutputTokens: 5 };
    const { stream } = await middleware.wrapStream({ model: modelOf("gpt-4o", called), params });
    for await (const _ of stream as AsyncIterable<unknown>);
    await gate.flush();
    expect(called).toEqual(["gpt-4o-mini"]);
    expect(service.runs).toMatchObject([{ model: "gpt-4o-mini", requested_model: "gpt-4o" }]);
  });
});
