import { describe, expect, test } from "vitest";
import { createProxy, type Proxy, type ProxyOptions } from "../../src/proxy/index.ts";
import { Breakers } from "../../src/proxy/breakers.ts";
import { optionsFrom } from "../../src/proxy/environment.ts";
import { retryAfterMs } from "../../src/proxy/retry.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };
const FINE = () => Response.json({ usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } });
const busy = (headers: Record<string, string> = {}, status = 429) =>
  Response.json({ error: "busy" }, { status, headers });
const unreached = (): never => {
  throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
};
const lost = (): never => {
  throw new TypeError("Network connection lost.");
};

/** A proxy before a provider that answers as it is told, in this order, and fine after that. */
class Setting {
  readonly service = new SmallService();
  readonly sent: { url: string; key: string | null; at: number }[] = [];
  readonly #proxy: Proxy;
  readonly #background: Promise<unknown>[] = [];

  constructor(answers: (() => Response)[], more: Partial<ProxyOptions> = {}) {
    this.#proxy = createProxy({
      binding: this.service,
      orgs: "*",
      providers: { openai: { key: "sk-first-0123456789" } },
      fetch: async (url, init) => {
        this.sent.push({ url, key: new Headers(init.headers).get("authorization"), at: Date.now() });
        return (answers.shift() ?? FINE)();
      },
      ...more,
    });
  }

  async call(signal?: AbortSignal, more: Record<string, string> = {}): Promise<Response> {
    const request = new Request("http://proxy/openai/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${SMALL_KEY}`, "content-type": "application/json", ...more },
      body: JSON.stringify(CHAT),
      ...(signal === undefined ? {} : { signal }),
    });
    return this.#proxy.fetch(request, { waitUntil: (work) => void this.#background.push(work) });
  }

  /** Resolves when all runs were reported. */
  async settled(): Promise<void> {
    for (let done = -1; done < this.#background.length;) {
      done = this.#background.length;
      await Promise.all(this.#background);
    }
  }

  get costs(): (string | undefined)[] {
    return this.service.runs.map(({ cost_usd }) => cost_usd as string | undefined);
  }
}

describe("a provider that says when it can be called again", () => {
  test("is called again then, and each try is decided, and recorded at what it costs", async () => {
    const setting = new Setting([() => busy({ "retry-after-ms": "50" })]);
    const answer = await setting.call();
    expect(answer.status).toBe(200);
    await answer.text();
    await setting.settled();
    const [first, second] = setting.sent;
    expect(setting.sent.length).toBe(2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(45);
    expect([setting.service.asks.length, setting.costs, setting.service.open.size]).toEqual([
      2,
      ["0", undefined],
      0,
    ]);
  });

  test("is called again only so often, and not if it asks for too long", async () => {
    const forever = Array.from({ length: 9 }, () => () => busy({ "retry-after-ms": "5" }));
    const setting = new Setting([...forever], { retries: 2 });
    expect([(await setting.call()).status, setting.sent.length]).toEqual([429, 3]);
    const never = new Setting([...forever], { retries: 0 });
    expect([(await never.call()).status, never.sent.length]).toEqual([429, 1]);
    const long = new Setting([() => busy({ "retry-after": "3" })]);
    expect([(await long.call()).status, long.sent.length]).toEqual([429, 1]);
    const short = new Setting([() => busy({ "retry-after-ms": "30" })], { longestRetryMs: 29 });
    expect([(await short.call()).status, short.sent.length]).toEqual([429, 1]);
    const patient = new Setting([() => busy({ "retry-after-ms": "30" })], { longestRetryMs: 30 });
    expect([(await patient.call()).status, patient.sent.length]).toEqual([200, 2]);
  });

  test("is not called again for a caller that has left", async () => {
    const caller = new AbortController();
    const setting = new Setting([
      () => {
        caller.abort();
        return busy({ "retry-after-ms": "5" });
      },
    ]);
    await setting.call(caller.signal);
    expect(setting.sent.length).toBe(1);
  });

  test.each([
    [429, { "retry-after": "1" }, 1000],
    [503, { "retry-after-ms": "250", "retry-after": "9" }, 250],
    [529, { "retry-after": "0.5" }, 500],
    [429, {}, null],
    [429, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, null],
    // These may have been worked on.
    [500, { "retry-after": "1" }, null],
    [502, { "retry-after": "1" }, null],
    [504, { "retry-after": "1" }, null],
    [200, { "retry-after": "1" }, null],
  ])("says so with %i %j", (status, headers, wait) => {
    expect(retryAfterMs(new Response(null, { status, headers }))).toBe(wait);
  });
});

describe("another key or host for the same model", () => {
  const more = [{ key: "sk-second-0123456789" }, { url: "https://eu.api.openai.com" }];
  const providers = { openai: { key: "sk-first-0123456789", more } };

  test.each([() => busy(), () => busy({}, 401), () => busy({}, 500), unreached])(
    "is used at once where the first fails, and charged once (%#)",
    async (fails) => {
      const setting = new Setting([fails, fails], { providers });
      const answer = await setting.call();
      expect(answer.status).toBe(200);
      await answer.text();
      await setting.settled();
      expect(setting.sent.map(({ url, key }) => [new URL(url).host, key])).toEqual([
        ["api.openai.com", "Bearer sk-first-0123456789"],
        ["api.openai.com", "Bearer sk-second-0123456789"],
        ["eu.api.openai.com", "Bearer sk-first-0123456789"],
      ]);
      expect([setting.costs, setting.service.open.size]).toEqual([["0", "0", undefined], 0]);
    },
  );

  test("is the operator's: a caller's own key goes with none of them", async () => {
    const setting = new Setting([() => busy(), () => busy()], { providers, ownKeys: true });
    const headers = { "x-sluice-key": SMALL_KEY, authorization: "Bearer sk-of-the-caller" };
    expect((await setting.call(undefined, headers)).status).toBe(429);
    expect(setting.sent.map(({ key }) => key)).toEqual(["Bearer sk-of-the-caller"]);
  });

  test("is not used where the request is at fault, or may have been billed", async () => {
    const setting = new Setting([() => busy({}, 400)], { providers });
    expect([(await setting.call()).status, setting.sent.length]).toEqual([400, 1]);
    for (const [fails, status] of [
      [lost, 502],
      [() => busy({}, 408), 408],
      [() => busy({ "retry-after-ms": "1" }, 504), 504],
      [() => busy({}, 520), 520],
      [() => busy({}, 524), 524],
    ] as const) {
      const one = new Setting([fails], { providers });
      expect([(await one.call()).status, one.sent.length]).toEqual([status, 1]);
      await one.settled();
      expect(one.service.runs).toMatchObject([{ outcome: "unknown", estimated: true, cost_usd: "1.00" }]);
    }
  });

  test("is set in the environment, and is a secret like the first", () => {
    const env = { SLUICE_URL: "http://x", PROXY_ORGS: "*", OPENAI_API_KEY: "sk-1" };
    const options = optionsFrom({ ...env, OPENAI_MORE: JSON.stringify(more) });
    expect(options.providers["openai"]?.more).toEqual(more);
    for (const wrong of ["{}", "[1]", '[{"key":"é"}]', '[{"url":"nope"}]', '[{"other":"x"}]', "["]) {
      expect(() => optionsFrom({ ...env, OPENAI_MORE: wrong })).toThrow("OPENAI_MORE");
    }
    expect(() => optionsFrom({ ...env, PROXY_RETRIES: "6" })).toThrow("PROXY_RETRIES");
  });
});

describe("a host that fails all the time", () => {
  test("is left alone for five seconds after five failures in a row", () => {
    let now = 0;
    const breakers = new Breakers(() => now);
    for (let failure = 0; failure < 4; failure += 1) breakers.failed("a");
    breakers.answered("a");
    for (let failure = 0; failure < 4; failure += 1) breakers.failed("a");
    expect(breakers.isPaused("a")).toBe(false);
    breakers.failed("a");
    expect([breakers.isPaused("a"), breakers.isPaused("b")]).toEqual([true, false]);
    now = 4999;
    expect(breakers.isPaused("a")).toBe(true);
    now = 5000;
    expect(breakers.isPaused("a")).toBe(false);
  });

  test("is called after others, and still called where there is no other", async () => {
    const more = [{ url: "https://eu.api.openai.com" }];
    const down = Array.from({ length: 5 }, () => [unreached, FINE]).flat();
    const setting = new Setting(down, { providers: { openai: { key: "sk-first-0123456789", more } } });
    for (let call = 0; call < 5; call += 1) await setting.call();
    expect(setting.sent.length).toBe(10);
    expect((await setting.call()).status).toBe(200);
    expect(new URL(setting.sent.at(-1)?.url ?? "").host).toBe("eu.api.openai.com");
    expect(setting.sent.length).toBe(11);
    // A key that is used too much says nothing about its host.
    const used = Array.from({ length: 5 }, () => [() => busy(), FINE]).flat();
    const keys = new Setting(used, { providers: { openai: { key: "sk-first-0123456789", more } } });
    for (let call = 0; call < 6; call += 1) await keys.call();
    expect(new URL(keys.sent.at(-1)?.url ?? "").host).toBe("api.openai.com");
    const alone = new Setting(Array.from({ length: 5 }, () => lost));
    for (let call = 0; call < 5; call += 1) await alone.call();
    expect((await alone.call()).status).toBe(200);
  });

  test("of one organization's own key is paused for that organization alone", async () => {
    const OTHER = `svc_test_${"2".repeat(26)}${"3".repeat(26)}_secret`;
    const own = { secret: "sk-of-the-org-0123456789", base_url: null, headers: {}, models: null };
    const binding = new SmallService();
    binding.rules = [
      { name: "r", then: [{ model: "gpt-4o-mini", provider: null }], on: ["provider_error"], begins: false },
    ];
    binding.providerKey = async (key) => {
      const text = key === OTHER ? "{}" : JSON.stringify(own);
      return { status: key === OTHER ? 404 : 200, headers: {}, text };
    };
    const more = [{ url: "https://eu.api.openai.com" }];
    const providers = { openai: { key: "sk-first-0123456789", more } };
    const setting = new Setting(
      Array.from({ length: 10 }, () => unreached),
      { binding, providers },
    );
    for (let call = 0; call < 5; call += 1) expect((await setting.call()).status).toBe(502);
    expect((await setting.call(undefined, { authorization: `Bearer ${OTHER}` })).status).toBe(200);
    const { url, key } = setting.sent.at(-1) ?? {};
    expect([new URL(url ?? "").host, key]).toEqual(["api.openai.com", "Bearer sk-first-0123456789"]);
  });
});
