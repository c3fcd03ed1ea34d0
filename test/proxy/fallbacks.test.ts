import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invalidField, type Refusal, refuse } from "../../src/contract/refusal.ts";
import type { FallbackRule } from "../../src/client/generated/types.ts";
import { openAiTranscriptions } from "../../src/providers/apis/openai-audio.ts";
import { azure } from "../../src/providers/azure.ts";
import { createProxy, type ProxyOptions } from "../../src/proxy/index.ts";
import { mp3Of } from "../support/recordings.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

const BUDGET = refuse("spend_cap_exceeded", {
  cap_usd: "1",
  spent_usd: "1",
  resets_at: "2026-01-01T00:00:00+00:00",
});
const NO_PRICE = invalidField("model", "no_price", "has no price");

function ruleOf(
  then: readonly (string | readonly [string, string])[],
  more: Partial<FallbackRule> = {},
): FallbackRule {
  const models = then.map((one) =>
    typeof one === "string" ? { model: one, provider: null } : { model: one[0], provider: one[1] },
  );
  return {
    name: "cheaper",
    then: models,
    on: ["limit", "provider_error", "no_price"],
    begins: false,
    ...more,
  };
}

/** What a provider does with a model. */
type Does =
  | "answers"
  | "refuses"
  | "does not know the key"
  | "overloaded"
  | "unreachable"
  | "lost"
  | "timed out"
  | "breaks"
  | "bad request";

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly model: string;
}

/** A proxy before a service and providers in memory. */
class Setting {
  readonly service = new SmallService();
  readonly sent: Sent[] = [];
  does: (model: string, url: string) => Does = () => "answers";
  /** What providers bill, by model: dollars do not matter here, only what was served. */
  readonly billed: string[] = [];
  readonly #background: Promise<unknown>[] = [];
  readonly #options: Partial<ProxyOptions>;
  readonly #providers: ProxyOptions["providers"];

  constructor(options: Partial<ProxyOptions> = {}, providers: ProxyOptions["providers"] = {}) {
    this.#options = options;
    this.#providers = providers;
  }

  async call(
    body: object,
    more: { path?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const { path = "/openai/v1/chat/completions", headers = {} } = more;
    const proxy = createProxy({
      binding: this.service,
      orgs: "*",
      providers: {
        openai: { key: "sk-openai-0123456789" },
        groq: { key: "sk-groq-0123456789" },
        ...this.#providers,
      },
      fetch: (url, init) => this.#answer(url, init),
      ...this.#options,
    });
    const request = new Request(`http://proxy${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SMALL_KEY}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const answer = await proxy.fetch(request, { waitUntil: (work) => void this.#background.push(work) });
    const text = await answer
      .clone()
      .text()
      .catch(() => "");
    void text;
    for (let done = 0; done < this.#background.length; done = this.#background.length) {
      await Promise.all(this.#background);
    }
    return answer;
  }

  async #answer(url: string, { body, headers }: RequestInit): Promise<Response> {
    const model = (JSON.parse(body as string) as { model?: string }).model ?? new URL(url).pathname;
    this.sent.push({ url, headers: new Headers(headers), model });
    const does = this.does(model, url);
    if (does === "unreachable")
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
    if (does === "overloaded") return Response.json({ error: "busy" }, { status: 503 });
    if (does === "refuses") return Response.json({ error: "slow down" }, { status: 429 });
    if (does === "does not know the key") return Response.json({ error: "who?" }, { status: 401 });
    if (does === "bad request") return Response.json({ error: "no" }, { status: 400 });
    this.billed.push(model);
    if (does === "lost") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    if (does === "timed out") return new Response("no answer in time", { status: 504 });
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    if (does === "breaks") {
      const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
      return new Response(broken, { headers: { "content-type": "application/json", "content-length": "9" } });
    }
    return Response.json({ model, usage, choices: [] });
  }
}

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };

describe("a call that a limit refuses", () => {
  function limited(
    rules: readonly FallbackRule[],
    refusal: Refusal = BUDGET,
    providers: ProxyOptions["providers"] = {},
  ): Setting {
    const setting = new Setting({}, providers);
    setting.service.rules = rules;
    setting.service.judge = ({ model }) => (model === "gpt-4o" ? refusal : null);
    return setting;
  }

  test("goes to the next model, which is decided, bounded, sent and recorded by its own name", async () => {
    const setting = limited([ruleOf(["gpt-4o-mini"])]);
    const answer = await setting.call(CHAT);
    expect([answer.status, answer.headers.get("x-sluice-model")]).toEqual([200, "gpt-4o-mini"]);
    expect(setting.sent.map(({ model }) => model)).toEqual(["gpt-4o-mini"]);
    const { service } = setting;
    expect(service.asks.map(({ model }) => model as string)).toEqual(["gpt-4o", "gpt-4o-mini"]);
    expect(new Set(service.asks.map(({ request_id }) => request_id as string)).size).toBe(2);
    expect(service.runs).toMatchObject([
      { model: "gpt-4o-mini", requested_model: "gpt-4o", fallback: "cheaper", outcome: "completed" },
    ]);
    expect(service.open.size).toBe(0);
  });

  test("gets the refusal where no rule says otherwise, and where the rule is about something else", async () => {
    for (const rules of [[], [ruleOf(["gpt-4o-mini"], { on: ["provider_error"] })]]) {
      const setting = limited(rules);
      const answer = await setting.call(CHAT);
      expect([answer.status, setting.sent.length]).toEqual([402, 0]);
    }
  });

  test("asks for rules only where the organization has some, and once for calls that are alike", async () => {
    const without = limited([]);
    await without.call(CHAT);
    expect(without.service.questions).toEqual([]);
    const setting = limited([ruleOf(["gpt-4o-mini"])]);
    await setting.call(CHAT, { headers: { "x-sluice-workflow-id": "w", "x-sluice-user-id": "u" } });
    expect(setting.service.questions).toEqual([{ model: "gpt-4o", workflow_id: "w" }]);
  });

  test("gets the refusal if the rules cannot be read", async () => {
    const setting = limited([ruleOf(["gpt-4o-mini"])]);
    setting.service.fallbacksFail = true;
    expect((await setting.call(CHAT)).status).toBe(402);
  });

  test("goes to another provider with that provider's key, address and path, and without the query", async () => {
    const own = { key: "k", url: "https://mine.openai.azure.com" };
    const setting = limited([ruleOf([["llama", "groq"]])], BUDGET, { azure: own });
    const path = "/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21";
    expect((await setting.call(CHAT, { path })).status).toBe(200);
    const [sent] = setting.sent;
    expect([sent?.url, sent?.model]).toEqual(["https://api.groq.com/openai/v1/chat/completions", "llama"]);
    expect(sent?.headers.get("authorization")).toBe("Bearer sk-groq-0123456789");
    expect(setting.service.asks[1]).toMatchObject({ provider: "groq", model: "llama" });
    expect(setting.service.runs).toMatchObject([{ provider: "groq", model: "llama" }]);
  });

  test("skips what is not served, not of the same API, or not metered there", async () => {
    const list = [["a", "nobody"], ["b", "anthropic"], ["c", "azure"], "gpt-4o", "gpt-4.1"] as const;
    const setting = limited([ruleOf(list)]);
    expect((await setting.call(CHAT)).headers.get("x-sluice-model")).toBe("gpt-4.1");
    expect(setting.service.asks.length).toBe(2);
    const sound = { ...CHAT, modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } };
    const other = limited([ruleOf([["llama", "groq"]])]);
    expect((await other.call(sound)).status).toBe(402);
    expect(other.sent).toEqual([]);
  });

  test("is not got around by a rule about its policy, its content, its key or its form", async () => {
    const refusals = [
      refuse("policy_blocked", { reason: "r", attempted: "gpt-4o", rule_id: "rule_1" }),
      refuse("policy_approval_required", { reason: "r", attempted: "gpt-4o", rule_id: "rule_1" }),
      refuse("content_safety_blocked", { detector: "d", sample: "s" }),
      refuse("policy_expression_error", { rule_id: "rule_1" }),
      refuse("gone"),
      refuse("key_expired"),
      refuse("org_suspended"),
      refuse("missing_scope", { required: "decisions:evaluate" }),
      refuse("residency_violation"),
      refuse("conflict"),
      invalidField("model", "invalid_format", "is wrong"),
    ];
    for (const refusal of refusals) {
      const setting = limited([ruleOf(["gpt-4o-mini"])], refusal);
      const answer = await setting.call(CHAT);
      expect([answer.status, setting.sent.length, setting.service.asks.length]).toEqual([
        refusal.status,
        0,
        1,
      ]);
    }
  });

  test("has no price, and goes on where a rule says so", async () => {
    const setting = limited([ruleOf(["gpt-4o-mini"], { on: ["no_price"] })], NO_PRICE);
    expect((await setting.call(CHAT)).status).toBe(200);
    const other = limited([ruleOf(["gpt-4o-mini"], { on: ["limit"] })], NO_PRICE);
    expect((await other.call(CHAT)).status).toBe(422);
  });

  test("does not go to a model that a policy refuses, and gets its own refusal", async () => {
    const setting = limited([ruleOf(["gpt-4o-mini", "gpt-4.1"])]);
    const blocked = refuse("policy_blocked", { reason: "r", attempted: "m", rule_id: "rule_1" });
    setting.service.judge = ({ model }) => (model === "gpt-4o" ? BUDGET : blocked);
    const answer = await setting.call(CHAT);
    expect([answer.status, setting.sent.length, setting.service.asks.length]).toEqual([402, 0, 2]);
  });

  test("goes on by the rule that names its condition, and as long as that names what came up", async () => {
    const setting = limited([
      ruleOf(["gpt-4.1"], { name: "a", on: ["provider_error"] }),
      ruleOf(["gpt-4o-mini", "o3"], { name: "b", on: ["limit"] }),
    ]);
    setting.does = () => "overloaded";
    expect((await setting.call(CHAT)).status).toBe(402);
    expect(setting.sent.map(({ model }) => model)).toEqual(["gpt-4o-mini"]);
    expect(setting.service.runs).toMatchObject([{ fallback: "b", cost_usd: "0" }]);
  });

  test("is walked once through one list, whatever rules there are for the models in it", async () => {
    const setting = limited([
      ruleOf(["gpt-4o-mini", "gpt-4o", "gpt-4o-mini"]),
      ruleOf(["gpt-4.1"], { name: "z" }),
    ]);
    setting.service.judge = () => BUDGET;
    expect((await setting.call(CHAT)).status).toBe(402);
    expect(setting.service.asks.map(({ model }) => model as string)).toEqual(["gpt-4o", "gpt-4o-mini"]);
  });
});

describe("a key", () => {
  const limit = ({ model }: { model?: string }) => (model === "gpt-4o" ? BUDGET : null);

  test("that the caller brought goes to no other provider", async () => {
    const setting = new Setting({ ownKeys: true });
    setting.service.rules = [ruleOf([["llama", "groq"], "gpt-4o-mini"])];
    setting.service.judge = limit;
    const headers = { "x-sluice-key": SMALL_KEY, authorization: "Bearer sk-of-the-caller" };
    expect((await setting.call(CHAT, { headers })).status).toBe(200);
    expect(setting.sent.map(({ url }) => new URL(url).host)).toEqual(["api.openai.com"]);
    expect(setting.sent[0]?.headers.get("authorization")).toBe("Bearer sk-of-the-caller");
  });

  test("that the caller chose serves the next model, or nothing does", async () => {
    const setting = new Setting();
    setting.service.keys.set("openai/eu", {
      secret: "sk-eu",
      base_url: null,
      headers: {},
      models: ["gpt-4o", "gpt-4.1"],
    });
    setting.service.rules = [ruleOf([["llama", "groq"], "gpt-4o-mini", "gpt-4.1"])];
    setting.service.judge = limit;
    const answer = await setting.call(CHAT, { headers: { "x-sluice-provider-key": "openai/eu" } });
    expect(answer.headers.get("x-sluice-model")).toBe("gpt-4.1");
    expect(setting.sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk-eu"]);
  });

  test("of the organization is used for the provider that the call goes on to", async () => {
    const setting = new Setting({ providers: { openai: { key: "sk-openai-0123456789" } } });
    setting.service.keys.set("groq", {
      secret: "sk-org-groq",
      base_url: null,
      headers: {},
      models: ["llama"],
    });
    setting.service.rules = [
      ruleOf([
        ["other", "groq"],
        ["llama", "groq"],
      ]),
    ];
    setting.service.judge = limit;
    expect((await setting.call(CHAT)).headers.get("x-sluice-model")).toBe("llama");
    expect(setting.sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk-org-groq"]);
  });
});

describe("a provider that fails", () => {
  function failing(does: Setting["does"], then: Parameters<typeof ruleOf>[0] = ["gpt-4o-mini"]): Setting {
    const setting = new Setting();
    setting.service.rules = [ruleOf(then)];
    setting.does = does;
    return setting;
  }

  test.each(["unreachable", "overloaded", "refuses"] as const)(
    "because it is %s is charged nothing, and the next model serves the call",
    async (how) => {
      const setting = failing((model) => (model === "gpt-4o" ? how : "answers"));
      const answer = await setting.call(CHAT);
      expect([answer.status, answer.headers.get("x-sluice-model")]).toEqual([200, "gpt-4o-mini"]);
      expect(setting.service.runs).toMatchObject([
        { model: "gpt-4o", outcome: "failed", cost_usd: "0" },
        { model: "gpt-4o-mini", requested_model: "gpt-4o", outcome: "completed" },
      ]);
      expect(setting.service.runs[0]).not.toHaveProperty("requested_model");
    },
  );

  test.each([
    ["lost", 502],
    ["timed out", 504],
  ] as const)(
    "after it got the call (%s) is charged what was reserved, and nothing else is tried",
    async (how, status) => {
      const setting = failing((model) => (model === "gpt-4o" ? how : "answers"));
      expect([(await setting.call(CHAT)).status, setting.sent.length]).toEqual([status, 1]);
      expect(setting.service.runs).toMatchObject([
        { model: "gpt-4o", outcome: "unknown", cost_usd: "1.00", estimated: true },
      ]);
    },
  );

  test.each([
    ["breaks", 502],
    ["bad request", 400],
  ] as const)("in a way that no other model mends (%s) is not followed by one", async (how, status) => {
    const setting = failing(() => how);
    expect([(await setting.call(CHAT)).status, setting.sent.length]).toEqual([status, 1]);
  });

  test("because it does not know our key is followed by the next model, and a caller's own key is the caller's", async () => {
    const does: Setting["does"] = (model) => (model === "gpt-4o" ? "does not know the key" : "answers");
    expect((await failing(does).call(CHAT)).status).toBe(200);
    const own = new Setting({ ownKeys: true });
    own.service.rules = [ruleOf(["gpt-4o-mini"])];
    own.does = does;
    const headers = { "x-sluice-key": SMALL_KEY, authorization: "Bearer sk-of-the-caller" };
    expect([(await own.call(CHAT, { headers })).status, own.sent.length]).toEqual([401, 1]);
  });

  test("like all of the list gives the caller the first answer", async () => {
    const setting = failing((model) => (model === "gpt-4o" ? "refuses" : "overloaded"));
    const answer = await setting.call(CHAT);
    expect([answer.status, setting.sent.length]).toEqual([429, 2]);
    expect(answer.headers.get("x-sluice-model")).toBe("gpt-4o");
  });

  test("does not name the model of an answer by itself", async () => {
    const setting = new Setting({
      fetch: async () => Response.json({}, { headers: { "x-sluice-model": "another" } }),
    });
    expect((await setting.call(CHAT)).headers.get("x-sluice-model")).toBe("gpt-4o");
  });

  test("does not name a model where none was called", async () => {
    const proxy = createProxy({
      binding: new SmallService(),
      orgs: "*",
      providers: { openai: { key: "sk-openai-0123456789" } },
      fetch: async () => Response.json({}, { headers: { "x-sluice-model": "another" } }),
    });
    const headers = { authorization: `Bearer ${SMALL_KEY}` };
    const request = new Request("http://proxy/openai/v1/models", { headers });
    const answer = await proxy.fetch(request, { waitUntil: () => undefined });
    expect([answer.status, answer.headers.has("x-sluice-model")]).toEqual([200, false]);
  });

  test("is paid for a model whose name no header can have", async () => {
    const setting = new Setting();
    const answer = await setting.call({ ...CHAT, model: "größe 1" });
    expect([answer.status, answer.headers.get("x-sluice-model")]).toEqual([200, "gr%C3%B6%C3%9Fe%201"]);
  });
});

describe("budgets that are used up to a share", () => {
  const rules = [ruleOf(["gpt-4o-mini"], { begins: true })];

  test("make calls begin with the list, also the first call of a gate, which sends nothing of its own", async () => {
    const setting = new Setting();
    setting.service.rules = rules;
    const answer = await setting.call(CHAT);
    expect(answer.headers.get("x-sluice-model")).toBe("gpt-4o-mini");
    expect(setting.sent.map(({ model }) => model)).toEqual(["gpt-4o-mini"]);
    expect(setting.service.asks.map(({ model }) => model as string)).toEqual(["gpt-4o", "gpt-4o-mini"]);
    expect(setting.service.runs).toMatchObject([{ model: "gpt-4o-mini", requested_model: "gpt-4o" }]);
    expect(setting.service.open.size).toBe(0);
  });

  test("charge nothing for what was not sent, if it cannot be given back", async () => {
    const setting = new Setting();
    setting.service.rules = rules;
    setting.service.releaseFails = true;
    await setting.call(CHAT);
    expect(setting.service.runs).toMatchObject([
      { model: "gpt-4o", cost_usd: "0" },
      { model: "gpt-4o-mini" },
    ]);
    expect([setting.billed, setting.service.open.size]).toEqual([["gpt-4o-mini"], 0]);
  });

  test("leave the call its own model where no other serves it", async () => {
    const setting = new Setting();
    setting.service.rules = rules;
    setting.does = (model) => (model === "gpt-4o" ? "answers" : "overloaded");
    const answer = await setting.call(CHAT);
    expect([answer.status, answer.headers.get("x-sluice-model")]).toEqual([200, "gpt-4o"]);
    expect(setting.service.runs.at(-1)).not.toHaveProperty("requested_model");
  });
});

describe("the model that is sent is the model that is priced", () => {
  test("by the same operation of the API", () => {
    const path = (last: string) => azure.pathLike(openAiTranscriptions, `/v1/audio/${last}`, "whisper-1");
    expect([path("transcriptions"), path("translations"), path("other")]).toEqual([
      "/openai/v1/audio/transcriptions",
      "/openai/v1/audio/translations",
      null,
    ]);
  });

  test("in a form", async () => {
    const setting = new Setting();
    setting.service.rules = [ruleOf(["gpt-4o-mini-transcribe"])];
    setting.service.judge = ({ model }) => (model === "gpt-4o-transcribe" ? BUDGET : null);
    const form = new FormData();
    form.set("model", "gpt-4o-transcribe");
    form.set("file", new File([mp3Of(3)], "a.mp3"));
    const sent = new Request("http://x", { method: "POST", body: form });
    const proxy = createProxy({
      binding: setting.service,
      orgs: "*",
      providers: { openai: { key: "sk-openai-0123456789" } },
      fetch: async (_, { body }) => Response.json({ model: (body as FormData).get("model"), text: "" }),
    });
    const headers = {
      authorization: `Bearer ${SMALL_KEY}`,
      "content-type": sent.headers.get("content-type") ?? "",
    };
    const request = new Request("http://proxy/openai/v1/audio/transcriptions", {
      method: "POST",
      headers,
      body: await sent.arrayBuffer(),
    });
    const answer = await proxy.fetch(request, { waitUntil: () => undefined });
    expect(await answer.json()).toMatchObject({ model: "gpt-4o-mini-transcribe" });
    expect(setting.service.asks.at(-1)).toMatchObject({ model: "gpt-4o-mini-transcribe" });
  });

  test("in a path", async () => {
    const setting = new Setting({ providers: { gemini: { key: "k-gemini-0123456789" } } });
    setting.service.rules = [ruleOf(["../../other", "gemini-2.5-flash"])];
    setting.service.judge = ({ model }) => (model === "gemini-2.5-pro" ? BUDGET : null);
    const path = "/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
    const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
    expect((await setting.call(body, { path })).status).toBe(200);
    expect(setting.sent.map(({ url }) => url)).toEqual([
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ]);
    expect(setting.service.asks.at(-1)).toMatchObject({ model: "gemini-2.5-flash" });
  });
});

test("whatever fails, what was billed is charged, once, and nothing stays reserved", async () => {
  const models = ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "llama"];
  const does = fc.constantFrom<Does>(
    "answers",
    "refuses",
    "overloaded",
    "unreachable",
    "lost",
    "timed out",
    "breaks",
    "bad request",
  );
  const verdict = fc.constantFrom<Refusal | null>(null, null, BUDGET, NO_PRICE, refuse("gone"));
  const conditions = fc.subarray(["limit", "provider_error", "no_price"] as const);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        fates: fc.array(fc.record({ does, verdict }), { minLength: 4, maxLength: 4 }),
        on: conditions,
        begins: fc.boolean(),
        releaseFails: fc.boolean(),
      }),
      async ({ fates, on, begins, releaseFails }) => {
        const setting = new Setting();
        const { service } = setting;
        service.releaseFails = releaseFails;
        service.rules = [ruleOf(["gpt-4o-mini", ["llama", "groq"], "gpt-4.1"], { on, begins })];
        const fateOf = (model: string) => fates[models.indexOf(model)];
        service.judge = ({ model }) => fateOf(model as string)?.verdict ?? null;
        setting.does = (model) => fateOf(model)?.does ?? "answers";
        const answer = await setting.call(CHAT);
        const charged = service.runs.filter(({ cost_usd: cost }) => cost !== "0");
        expect(charged.map(({ model }) => model as string)).toEqual(setting.billed);
        expect(service.open.size).toBe(0);
        // Every call that was sent has a run of its own, and a model is sent to at most once.
        expect(new Set(setting.sent.map(({ model }) => model)).size).toBe(setting.sent.length);
        const sentRuns = service.runs.filter((run) =>
          setting.sent.some(({ model }) => model === run["model"]),
        );
        expect(sentRuns.length).toBeGreaterThanOrEqual(setting.sent.length);
        expect(answer.ok).toBe(
          setting.billed.length > 0 && fateOf(setting.billed.at(-1) ?? "")?.does === "answers",
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("OpenRouter is told the dearest host, unless the caller says what to reserve", async () => {
  const bodies: { provider?: object }[] = [];
  const proxy = createProxy({
    binding: new SmallService(),
    orgs: "*",
    callerSets: ["estimate_usd"],
    providers: { openrouter: { key: "sk-or-0123456789" } },
    fetch: async (to, init) => {
      bodies.push(await new Request(to, init).json());
      return Response.json({ choices: [] });
    },
  });
  const send = (more: Record<string, string>) =>
    proxy.fetch(
      new Request("http://proxy/openrouter/v1/chat/completions", {
        method: "POST",
        headers: { authorization: `Bearer ${SMALL_KEY}`, "content-type": "application/json", ...more },
        body: JSON.stringify({ model: "openai/gpt-4o", max_tokens: 100, messages: [] }),
      }),
      { waitUntil: () => undefined },
    );
  for (const more of [{}, { "x-sluice-estimate-usd": "1.00" }]) expect((await send(more)).status).toBe(200);
  expect(bodies.map(({ provider }) => provider)).toEqual([
    { max_price: { prompt: expect.any(Number), completion: 10_000 } },
    undefined,
  ]);
});
