import { runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGate } from "../../src/client/gate/index.ts";
import { PlatformBook } from "../../src/org/models/platform-book.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, operatorKey, serve } from "../support/worker.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { gateOf } from "../support/worker-gate.ts";
import { BUSY_MS, lengthenLives } from "../support/lives.ts";

/** One price of each provider is a number of its own, so that the cost of a million tokens says which row priced it. */
const row = (model: string, provider: string, usd: string, fields: object = {}) => ({
  model,
  provider,
  input_usd_per_mtok: usd,
  output_usd_per_mtok: usd,
  ...fields,
});

const MODELS = [
  row("pp-chat", "pp-maker", "10", { aliases: ["pp-chat-latest"], context_window: 128_000 }),
  row("pp-host/pp-chat", "pp-host", "3", { aliases: ["open/pp-chat", "pp-chat-*", "!*-tts"] }),
  row("pp-other/pp-chat", "pp-other", "4"),
  row("ft:pp-chat", "pp-maker", "20", { aliases: ["ft:pp-chat-2026-*"] }),
  row("pp-search", "pp-maker", "1", { units: { request: "0.5", web_search: "0.01" } }),
  row("pp-hear", "pp-maker", "0", { units: { audio_second: "0.0001" } }),
];
const PROVIDERS = [
  { provider: "pp-maker", models: ["pp-*"], names: ["*ppmaker*"] },
  { provider: "pp-host", hosts: true },
  { provider: "pp-other", hosts: true },
  { provider: "pp-cloud", hosts: true, fallbacks: ["pp-maker"] },
];
const USAGE = { input_tokens: 1_000_000, output_tokens: 0 };

const write = (models: readonly object[], providers?: readonly object[]) =>
  call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models, providers } });
const costOf = async (org: Spender, model: string, provider?: string) => {
  const run = await org.run({ model, provider, cost_usd: undefined, usage: USAGE });
  return run.status === 201 ? run.body.cost_usd : run.body.error.details.fields;
};
const resolve = async (org: Spender, model: string, provider?: string) => {
  const named = new URLSearchParams({ model, ...(provider === undefined ? {} : { provider }) });
  return (await org.send("GET", `prices/resolve?${named.toString()}`)).body;
};
const NO_PRICE = [expect.objectContaining({ field: "model", code: "no_price" })];

beforeAll(async () => {
  expect((await write(MODELS, PROVIDERS)).status).toBe(200);
});
afterAll(async () => {
  await write([], []);
});

test("a call is priced by the row of its provider, then by the name alone", async () => {
  const org = await newSpender();
  const costs = [
    ["pp-chat", undefined, "10.00"],
    ["pp-chat", "pp-host", "3.00"],
    ["pp-chat", "pp-other", "4.00"],
    ["pp-chat", "PP-Host", "3.00"],
    ["pp-chat", "my-ppmaker-proxy", "10.00"],
    ["pp-chat", "nobody", "10.00"],
    ["open/pp-chat", "pp-host", "3.00"],
    ["PP-Chat-20260131", "pp-host", "3.00"],
    ["pp-chat-latest", "pp-other", "10.00"],
    ["pp-chat", "pp-cloud", "10.00"],
    ["ft:pp-chat:acme::x1", undefined, "20.00"],
    ["ft:pp-chat:acme::x1", "pp-maker", "20.00"],
    ["ft:pp-chat-2026-01-31:acme::x1", undefined, "20.00"],
    ["ft:pp-chat-2026-01-31:acme::x1", "pp-cloud", "20.00"],
  ] as const;
  for (const [model, provider, usd] of costs) {
    expect([model, provider, await costOf(org, model, provider)]).toEqual([model, provider, usd]);
  }
});

test("what no row has is refused, with a provider and without", async () => {
  const org = await newSpender();
  expect(await costOf(org, "open/pp-chat")).toEqual(NO_PRICE);
  expect(await costOf(org, "pp-chat-x-tts", "pp-host")).toEqual(NO_PRICE);
  expect(await costOf(org, "pp-unheard", "pp-host")).toEqual(NO_PRICE);
  const asked = await org.decide("", { model: "open/pp-chat", estimate: { input_tokens: 1 } });
  expect(asked.status).toBe(422);
});

test("a decision, a batch and a dry run are priced by the same row as the run", async () => {
  const org = await newSpender();
  const ask = { model: "pp-chat", estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
  for (const [provider, usd] of [
    ["pp-host", "3.00"],
    ["pp-other", "4.00"],
    [undefined, "10.00"],
  ] as const) {
    const held = await org.decide("", { ...ask, provider });
    expect(held.body.reservation.amount_usd).toBe(usd);
    const run = { started_at: "2026-11-15T02:00:00Z", model: "pp-chat", provider, usage: USAGE };
    const { results } = (await org.bulk([{ ...run, reservation_id: held.body.reservation.id }])).body;
    const stored = await call("GET", `/v1/runs/${results[0].id}`, { key: org.key });
    expect([stored.body.cost_usd, stored.body.over_usd ?? "0.00"]).toEqual([usd, "0.00"]);
  }
  const explained = await org.send("POST", "explain", { ask: { ...ask, provider: "pp-other" } });
  expect(JSON.stringify(explained.body)).toContain("4.00");
});

describe("an org's own price", () => {
  test("applies at its provider, and without a provider at all of them", async () => {
    const org = await newSpender();
    const set = (model: string, body: object) => org.send("PUT", `models/${encodeURIComponent(model)}`, body);
    await set("pp-chat", { provider: "pp-host", input_usd_per_mtok: "7", output_usd_per_mtok: "7" });
    expect(await costOf(org, "pp-chat", "pp-host")).toBe("7.00");
    expect(await costOf(org, "pp-chat", "pp-other")).toBe("4.00");
    expect(await costOf(org, "pp-chat")).toBe("7.00");
    await set("pp-other/pp-chat", { input_usd_per_mtok: "8", output_usd_per_mtok: "8" });
    expect(await costOf(org, "pp-chat", "pp-other")).toBe("8.00");
    await set("pp-chat", { input_usd_per_mtok: "9", output_usd_per_mtok: "9" });
    expect(await costOf(org, "pp-chat", "pp-host")).toBe("9.00");
    expect(await costOf(org, "pp-chat", "pp-other")).toBe("8.00");
    await set("ft:pp-chat", { input_usd_per_mtok: "30", output_usd_per_mtok: "30" });
    expect(await costOf(org, "ft:pp-chat:acme::x2", "pp-maker")).toBe("30.00");
    expect(await costOf(org, "ft:pp-chat:acme::x2")).toBe("30.00");
  });

  test("of a model whose name begins like a provider's is not that provider's", async () => {
    const org = await newSpender();
    const price = { provider: "pp-host", input_usd_per_mtok: "7", output_usd_per_mtok: "7" };
    await org.send("PUT", `models/${encodeURIComponent("pp-maker/pp-chat")}`, price);
    expect(await costOf(org, "pp-chat", "pp-maker")).toBe("10.00");
    expect(await costOf(org, "pp-maker/pp-chat", "pp-host")).toBe("7.00");
  });
});

test("a name tells which row prices it, and why", async () => {
  const org = await newSpender();
  expect(await resolve(org, "pp-chat", "pp-host")).toMatchObject({
    model: "pp-chat",
    provider: "pp-host",
    priced: true,
    matched_by: "provider_and_model",
    rule: null,
    why: "The platform's price book has this model of the provider.",
    price: { model: "pp-host/pp-chat", source: "platform", provider: "pp-host", input_usd_per_mtok: "3.00" },
  });
  expect(await resolve(org, "pp-chat-20260131", "pp-host")).toMatchObject({
    matched_by: "provider_rule",
    rule: "pp-chat-*",
    price: { model: "pp-host/pp-chat" },
  });
  expect(await resolve(org, "pp-chat", "nobody")).toMatchObject({
    matched_by: "model",
    price: { model: "pp-chat", context_window: 128_000, max_output_tokens: null },
  });
  expect(await resolve(org, "no-such", "pp-host")).toMatchObject({
    priced: false,
    matched_by: null,
    price: null,
    why: expect.stringContaining("at this provider or by the name alone"),
  });
  expect((await resolve(org, "no-such", "nobody")).why).toContain("does not know the provider");
  await org.send("PUT", "models/pp-chat", { input_usd_per_mtok: "1", output_usd_per_mtok: "1" });
  const own = await resolve(org, "pp-chat", "pp-host");
  expect(own).toMatchObject({ matched_by: "model", price: { source: "org", model: "pp-chat" } });
  const run = await org.run({ model: "pp-chat", provider: "pp-host", cost_usd: undefined, usage: USAGE });
  expect(run.body.price_revision).toBe(own.price.revision);
  expect((await org.send("GET", "prices/resolve?provider=x")).status).toBe(422);
});

test("a change of the book reaches names that were found with a provider, also those that it did not have", async () => {
  const org = await newSpender();
  expect(await costOf(org, "pp-chat", "pp-host")).toBe("3.00");
  expect(await costOf(org, "pp-search", "pp-host")).toBe("1.50");
  const changed = [row("pp-host/pp-chat", "pp-host", "5"), row("pp-host/pp-search", "pp-host", "6")];
  const others = MODELS.filter(({ model }) => model !== "pp-host/pp-chat");
  await write([...others, ...changed]);
  expect(await costOf(org, "pp-chat", "pp-host")).toBe("5.00");
  expect(await costOf(org, "pp-search", "pp-host")).toBe("6.00");
  await write(others);
  expect(await costOf(org, "pp-chat", "pp-host")).toBe("10.00");
  await write(MODELS);
  expect(await costOf(org, "pp-chat", "pp-host")).toBe("3.00");
});

test("a name and a provider are looked up once, and an unknown provider never", async () => {
  const org = await newSpender();
  await costOf(org, "pp-chat", "pp-host");
  await costOf(org, "pp-search", "pp-host");
  const missing = await runInDurableObject(env.ORG.getByName(org.id), (_object, state) => {
    const book = new PlatformBook(state.storage, env.DB, org.id);
    const of = (model: string, provider: string) => book.missing([{ model, provider }], Date.now());
    return [
      of("pp-chat", "pp-host"),
      of("pp-search", "pp-host"),
      of("pp-chat", "pp-other"),
      of("pp-search", "nobody"),
    ];
  });
  expect(missing).toEqual([[], [], [{ model: "pp-chat", provider: "pp-other" }], []]);
  const stored = await rowsOf(org.id, "SELECT model, provider FROM price_revisions ORDER BY revision");
  expect(stored).toEqual([
    { model: "pp-chat", provider: "" },
    { model: "pp-host/pp-chat", provider: "pp-host" },
    { model: "pp-search", provider: "" },
    { model: "pp-host/pp-search", provider: "pp-host" },
  ]);
});

test("the list has what calls with a provider used, under the name with the provider", async () => {
  const org = await newSpender();
  await costOf(org, "pp-chat", "pp-host");
  const { data } = (await org.send("GET", "models?sort=model")).body;
  expect(data.map(({ model, input_usd_per_mtok: usd }: Record<string, string>) => [model, usd])).toEqual([
    ["pp-chat", "10.00"],
    ["pp-host/pp-chat", "3.00"],
  ]);
  const read = await org.send("GET", `models/${encodeURIComponent("pp-host/pp-chat")}`);
  expect(read.body).toMatchObject({ model: "pp-host/pp-chat", input_usd_per_mtok: "3.00" });
});

describe("units", () => {
  test("a price per request is charged to every run and reserved by every decision", async () => {
    const org = await newSpender();
    expect(await costOf(org, "pp-search")).toBe("1.50");
    const usage = { ...USAGE, units: { request: 3, web_search: 2 } };
    const run = await org.run({ model: "pp-search", cost_usd: undefined, usage });
    expect(run.body.cost_usd).toBe("2.52");
    const ask = { model: "pp-search", estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("1.50");
  });

  test("a model that is priced by units alone is never free by omission", async () => {
    const org = await newSpender();
    expect(await costOf(org, "pp-hear")).toEqual([
      expect.objectContaining({ field: "usage.units", code: "required" }),
    ]);
    const usage = { input_tokens: 0, output_tokens: 0, units: { audio_second: 60 } };
    expect((await org.run({ model: "pp-hear", cost_usd: undefined, usage })).body.cost_usd).toBe("0.006");
    const none = { ...usage, units: { audio_second: 0 } };
    expect((await org.run({ model: "pp-hear", cost_usd: undefined, usage: none })).body.cost_usd).toBe(
      "0.00",
    );
    const ask = { model: "pp-hear", estimate: { input_tokens: 1, max_output_tokens: 0 } };
    expect((await org.decide("", ask)).body.error.details.fields).toMatchObject([
      { field: "estimate.units", code: "required" },
    ]);
  });

  test("a decision reserves units at their price, beside its tokens", async () => {
    const org = await newSpender();
    const reserved = async (model: string, estimate: object) =>
      (await org.decide("", { model, estimate })).body.reservation.amount_usd;
    expect(
      await reserved("pp-search", {
        input_tokens: 1_000_000,
        max_output_tokens: 0,
        units: { web_search: 2 },
      }),
    ).toBe("1.52");
    expect(await reserved("pp-search", { units: { web_search: 2, request: 3 } })).toBe("1.52");
    expect(await reserved("pp-hear", { units: { audio_second: 60 } })).toBe("0.006");
  });

  test("a unit that the row does not price is refused", async () => {
    const org = await newSpender();
    const ask = {
      model: "pp-chat",
      provider: "pp-host",
      estimate: { input_tokens: 1, units: { web_search: 1 } },
    };
    expect((await org.decide("", ask)).body.error).toMatchObject({
      code: "validation_failed",
      details: { fields: [{ field: "estimate.units.web_search", code: "no_price" }] },
    });
    const usage = { ...USAGE, units: { web_search: 1 } };
    const run = await org.run({ model: "pp-chat", provider: "pp-host", cost_usd: undefined, usage });
    expect([run.status, run.body.error.details.fields[0].field]).toEqual([422, "usage.units.web_search"]);
  });
});

describe("an embedded gate", () => {
  test("tells the bounds and units of a model at its provider, and asks for them once", async () => {
    const org = await newSpender();
    const body = { decision_defaults: { checks: "all", on_expiry: "charge" } };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.key, body })).status).toBe(200);
    const made = await org.send("POST", "keys", {
      name: "gate",
      role: "developer",
      scopes: ["decisions:evaluate"],
    });
    let asked = 0;
    const fetch = (url: string, init: RequestInit) => {
      asked += 1;
      return serve(url, init);
    };
    const gate = createGate({ key: made.body.key, url: "http://sluice.test", fetch, timeoutMs: PATIENCE_MS });
    expect(await gate.priceOf({ model: "pp-chat" })).toEqual({
      context_window: 128_000,
      max_output_tokens: null,
      units: {},
    });
    expect(await gate.priceOf({ model: "pp-search", provider: "pp-maker" })).toEqual({
      context_window: null,
      max_output_tokens: null,
      units: { request: "0.50", web_search: "0.01" },
    });
    expect(await gate.priceOf({ model: "pp-hear" })).toMatchObject({ units: { audio_second: "0.0001" } });
    const before = asked;
    expect(await gate.priceOf({ model: "pp-chat" })).toMatchObject({ context_window: 128_000 });
    expect(asked).toBe(before);
    expect(await gate.priceOf({ model: "pp-unheard" })).toBeNull();
    await gate.close();
  });

  test("decides by itself at the price of the provider that each call names", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1000000", period: "total" });
    lengthenLives(BUSY_MS);
    const gate = gateOf(org.key);
    const estimate = { input_tokens: 1_000_000, max_output_tokens: 0 };
    const prices = { "pp-host": "3.00", "pp-other": "4.00", "pp-maker": "10.00" };
    for (let round = 0; round < 40; round += 1) {
      for (const [provider, usd] of Object.entries(prices)) {
        const { reservation } = await gate.decide({ model: "pp-chat", provider, estimate });
        expect([provider, reservation?.amount_usd]).toEqual([provider, usd]);
      }
    }
    expect(gate.stats.allowedHere).toBeGreaterThan(20);
    await gate.close();
  });
});
