import { describe, expect, test } from "vitest";
import { parseUsd } from "../../../src/domain/price/money.ts";
import { EXAMPLES, PUBLISHED } from "../../domain/price/examples.ts";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { call } from "../../support/worker.ts";

const PLAIN = { input_usd_per_mtok: "3", output_usd_per_mtok: "15" };
const SONNET = PUBLISHED["claude-sonnet-4-5"].price;
const DAY = 86_400;

const { cost_usd: _, ...unpriced } = aRun();
const priced = (org: Spender, fields: object) => org.run({ cost_usd: undefined, ...fields });

function sumOf(breakdown: readonly { cost_usd: string }[]): bigint {
  return breakdown.reduce((sum, { cost_usd }) => sum + (parseUsd(cost_usd) ?? -1n), 0n);
}

const fieldsOf = (answer: { body: { error: { details: { fields: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.fields.map(({ field, code }) => `${field} ${code}`);

describe("a model's price", () => {
  test("has rates for classes, tiers, units and variants, and is read back as it was set", async () => {
    const org = await newSpender();
    const set = await org.send("PUT", "models/claude-sonnet-4-5", SONNET);
    expect(set.status).toBe(200);
    expect(set.body).toMatchObject({
      provider: "anthropic",
      cache_read_usd_per_mtok: "0.30",
      cache_write_1h_usd_per_mtok: "6.00",
      reasoning_usd_per_mtok: null,
      units: { web_search: "0.01" },
      tiers: [{ above_input_tokens: 200_000, output_usd_per_mtok: "22.50", audio_input_usd_per_mtok: null }],
      variants: { batch: "0.5" },
      source: "org",
    });
    expect((await org.send("GET", "models/claude-sonnet-4-5")).body).toEqual(set.body);
    expect((await org.send("GET", "models/anthropic%2Fclaude-sonnet-4-5")).body).toEqual(set.body);
  });

  test.each([
    [{ cache_read_usd_per_mtok: "-1" }, "cache_read_usd_per_mtok invalid_format"],
    [{ input_usd_per_mtok: "-0.1" }, "input_usd_per_mtok invalid_format"],
    [{ thought_usd_per_mtok: "1" }, "thought_usd_per_mtok invalid_body"],
    [{ units: { web_search: "-1" } }, "units.web_search invalid_format"],
    [{ units: { "Web Search": "1" } }, "units.Web Search invalid_value"],
    [{ variants: { batch: "-0.5" } }, "variants.batch invalid_format"],
    [{ variants: { batch: "1000.1" } }, "variants.batch out_of_range"],
    [{ tiers: [{ above_input_tokens: -1, ...PLAIN }] }, "tiers[0].above_input_tokens out_of_range"],
    [{ tiers: [{ above_input_tokens: 1, thoughts: "1" }] }, "tiers[0].thoughts invalid_body"],
    [
      {
        tiers: [
          { above_input_tokens: 9, ...PLAIN },
          { above_input_tokens: 9, ...PLAIN },
        ],
      },
      "tiers[1].above_input_tokens out_of_range",
    ],
    [
      {
        tiers: [
          { above_input_tokens: 9, ...PLAIN },
          { above_input_tokens: 8, ...PLAIN },
        ],
      },
      "tiers[1].above_input_tokens out_of_range",
    ],
    [{ effective_at: "soon" }, "effective_at invalid_format"],
  ])("is refused if it is invalid, naming the field: %j", async (wrong, field) => {
    const org = await newSpender();
    const answer = await org.send("PUT", "models/m", { ...PLAIN, ...wrong });
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer)).toContain(field);
    expect((await org.send("GET", "models/m")).status).toBe(404);
  });

  test.each(["units", "variants"])("names no %s that objects inherit", async (part) => {
    const org = await newSpender();
    const body = JSON.stringify({ ...PLAIN, [part]: { a: "1" } }).replace('"a"', '"__proto__"');
    const answer = await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.key, body: body });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [`${part}.__proto__ invalid_value`]]);
  });

  test("set twice makes one revision, and another price makes the next", async () => {
    const org = await newSpender();
    const first = await org.send("PUT", "models/m", SONNET);
    const again = await org.send("PUT", "models/m", { ...SONNET, input_usd_per_mtok: "3.00" });
    expect(again.body).toEqual(first.body);
    const other = await org.send("PUT", "models/m", PLAIN);
    expect(other.body.revision).toBeGreaterThan(first.body.revision);
    const { data } = (await org.send("GET", "models/m/prices")).body;
    expect(data).toMatchObject([
      { revision: other.body.revision, status: "current", cache_read_usd_per_mtok: null },
      { revision: first.body.revision, status: "past", cache_read_usd_per_mtok: "0.30" },
    ]);
  });

  test("takes effect at its time, and not before", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", PLAIN);
    const later = new Date(Date.now() + 2 * DAY * 1000).toISOString();
    const dearer = { ...PLAIN, input_usd_per_mtok: "6", effective_at: later };
    const scheduled = (await org.send("PUT", "models/m", dearer)).body;
    expect(scheduled).toMatchObject({ input_usd_per_mtok: "6.00", effective_at: later });
    expect((await org.send("PUT", "models/m", dearer)).body.revision).toBe(scheduled.revision);
    expect((await org.send("GET", "models/m")).body.input_usd_per_mtok).toBe("3.00");
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const ask = { model: "m", estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
    expect((await priced(org, { model: "m", usage })).body.cost_usd).toBe("3.00");
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("3.00");
    await org.advance(3 * DAY);
    expect((await org.send("GET", "models/m")).body.input_usd_per_mtok).toBe("6.00");
    const now = new Date(Date.now() + 3 * DAY * 1000).toISOString();
    expect((await priced(org, { model: "m", usage, started_at: now })).body.cost_usd).toBe("6.00");
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("6.00");
    const before = new Date(Date.now() + DAY * 1000).toISOString();
    expect((await priced(org, { model: "m", usage, started_at: before })).body.cost_usd).toBe("3.00");
  });

  test("that is only scheduled does not price anything yet", async () => {
    const org = await newSpender();
    const later = new Date(Date.now() + DAY * 1000).toISOString();
    await org.send("PUT", "models/m", { ...PLAIN, effective_at: later });
    const refused = await priced(org, { model: "m", started_at: later });
    expect(fieldsOf(refused)).toEqual(["model no_price"]);
    expect((await org.send("GET", "models/m")).body).toMatchObject({ effective_at: later });
  });

  test("keeps its history when it is removed, and scheduled prices are cancelled", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", PLAIN);
    const later = new Date(Date.now() + DAY * 1000).toISOString();
    await org.send("PUT", "models/m", { ...PLAIN, input_usd_per_mtok: "6", effective_at: later });
    expect((await org.send("DELETE", "models/m")).status).toBe(204);
    expect((await org.send("GET", "models/m")).status).toBe(404);
    expect(fieldsOf(await priced(org, { model: "m" }))).toEqual(["model no_price"]);
    await org.advance(2 * DAY);
    expect((await priced(org, { model: "m" })).status).toBe(422);
    const { data } = (await org.send("GET", "models/m/prices")).body;
    expect(data).toMatchObject([{ removed: true }, { removed: false, input_usd_per_mtok: "3.00" }]);
    const page = (await org.send("GET", "models/m/prices?limit=1")).body;
    const next = (await org.send("GET", `models/m/prices?limit=1&cursor=${page.next_cursor}`)).body;
    expect([...page.data, ...next.data]).toEqual(data);
    expect(next.next_cursor).toBeNull();
    expect((await org.send("GET", "models/unheard/prices")).status).toBe(404);
  });

  test("of a name that two providers share is not guessed", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/a%2Fshared", { ...PLAIN, provider: "a" });
    expect((await priced(org, { model: "shared" })).status).toBe(201);
    await org.send("PUT", "models/b%2Fshared", { ...PLAIN, provider: "b" });
    expect(fieldsOf(await priced(org, { model: "shared" }))).toEqual(["model no_price"]);
  });
});

describe("a model's other name", () => {
  const at = (org: Spender, model: string) =>
    priced(org, {
      model,
      usage: { input_tokens: 1_000_000, output_tokens: 0 },
      started_at: new Date().toISOString(),
    });
  const ask = (model: string) => ({ model, estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } });

  test("has no price any more once the price is removed", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/gx", { ...PLAIN, provider: "acme" });
    expect((await at(org, "acme/gx")).body.cost_usd).toBe("3.00");
    await org.send("DELETE", "models/gx");
    expect(fieldsOf(await at(org, "acme/gx"))).toEqual(["model no_price"]);
    expect(fieldsOf(await org.decide("", ask("acme/gx")))).toEqual(["model no_price"]);
    expect((await org.send("GET", "models/acme%2Fgx")).status).toBe(404);
    const { data } = (await org.send("GET", "models/acme%2Fgx/prices")).body;
    expect(data).toMatchObject([{ removed: true }, { removed: false, status: "past" }]);
    await org.send("PUT", "models/gx", { ...PLAIN, input_usd_per_mtok: "4", provider: "acme" });
    expect((await at(org, "acme/gx")).body.cost_usd).toBe("4.00");
  });

  test("goes with its provider, and leaves what another model then has", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/gx", { ...PLAIN, provider: "acme" });
    await org.send("PUT", "models/gx", { ...PLAIN, input_usd_per_mtok: "5", provider: "other" });
    expect(fieldsOf(await at(org, "acme/gx"))).toEqual(["model no_price"]);
    expect((await at(org, "other/gx")).body.cost_usd).toBe("5.00");
    const before = { model: "acme/gx", usage: { input_tokens: 1_000_000, output_tokens: 0 } };
    await org.send("PUT", "models/gx", { ...PLAIN, effective_at: "2026-01-01T00:00:00Z", provider: "acme" });
    expect((await priced(org, { ...before, started_at: "2026-02-01T00:00:00Z" })).body.cost_usd).toBe("3.00");
    await org.send("PUT", "models/a%2Fshared", { ...PLAIN, provider: "a" });
    await org.send("PUT", "models/b%2Fshared", { ...PLAIN, input_usd_per_mtok: "8", provider: "b" });
    expect((await at(org, "shared")).status).toBe(422);
    await org.send("DELETE", "models/a%2Fshared");
    expect((await at(org, "shared")).body.cost_usd).toBe("8.00");
  });

  test("changes when its provider is scheduled to, also for decisions", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/gx", { ...PLAIN, provider: "acme" });
    const later = new Date(Date.now() + DAY * 1000).toISOString();
    await org.send("PUT", "models/gx", { ...PLAIN, provider: "other", effective_at: later });
    expect((await org.decide("", ask("acme/gx"))).body.reservation.amount_usd).toBe("3.00");
    await org.advance(2 * DAY);
    expect(fieldsOf(await org.decide("", ask("acme/gx")))).toEqual(["model no_price"]);
    expect((await org.decide("", ask("other/gx"))).body.reservation.amount_usd).toBe("3.00");
  });
});

describe("a run priced from the book", () => {
  test("costs what the provider's page says, with a breakdown that adds up to it", async () => {
    const org = await newSpender();
    const models = new Set(EXAMPLES.map(({ model }) => model));
    for (const model of models) await org.send("PUT", `models/${model}`, PUBLISHED[model].price);
    const runs = EXAMPLES.map(({ model, usage, variant }, at) => ({
      ...unpriced,
      id: `e${at}`,
      model,
      usage,
      variant,
    }));
    expect((await org.bulk(runs)).body).toMatchObject({ accepted: EXAMPLES.length });
    for (const [at, { usage, costUsd }] of EXAMPLES.entries()) {
      const { body } = await org.run({ ...runs[at], cost_usd: undefined });
      expect(body).toMatchObject({ cost_usd: costUsd, cost_source: "price_book", usage });
      expect(sumOf(body.cost_breakdown)).toBe(parseUsd(costUsd));
    }
  });

  test("shows its revision and what each class and unit cost", async () => {
    const org = await newSpender();
    const { revision } = (await org.send("PUT", "models/claude-sonnet-4-5", SONNET)).body;
    const usage = {
      input_tokens: 5050,
      output_tokens: 400,
      cache_write_tokens: 5000,
      units: { web_search: 2 },
    };
    const run = await priced(org, { id: "r", model: "anthropic/claude-sonnet-4-5", usage, variant: "batch" });
    expect(run.body).toMatchObject({
      cost_usd: "0.03245",
      price_revision: revision,
      variant: "batch",
      cost_breakdown: [
        { class: "cache_write", quantity: 5000, usd_per_mtok: "1.875", cost_usd: "0.009375" },
        { class: "input", quantity: 50, usd_per_mtok: "1.50", cost_usd: "0.000075" },
        { class: "output", quantity: 400, usd_per_mtok: "7.50", cost_usd: "0.003" },
        { class: "web_search", quantity: 2, usd_each: "0.01", cost_usd: "0.02" },
      ],
    });
    await org.send("PUT", "models/claude-sonnet-4-5", PLAIN);
    await org.send("DELETE", "models/claude-sonnet-4-5");
    const again = await priced(org, {
      id: "r",
      model: "anthropic/claude-sonnet-4-5",
      usage,
      variant: "batch",
    });
    expect([again.status, again.body]).toEqual([200, run.body]);
  });

  test("with its own cost has no revision and no breakdown, and keeps its classes", async () => {
    const org = await newSpender();
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, units: { web_search: 1 } };
    const { body } = await org.run({ usage, variant: "anything" });
    const none = { cost_source: "caller", price_revision: null, cost_breakdown: null };
    expect(body).toMatchObject({ cost_usd: "1.00", usage, variant: "anything", ...none });
  });

  test.each([
    [
      { usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 11 } },
      "usage.cache_read_tokens out_of_range",
    ],
    [
      { usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 6, image_input_tokens: 5 } },
      "usage.image_input_tokens out_of_range",
    ],
    [
      { usage: { input_tokens: 10, output_tokens: 5, reasoning_tokens: 6 } },
      "usage.reasoning_tokens out_of_range",
    ],
    [
      { usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: -1 } },
      "usage.cache_read_tokens out_of_range",
    ],
    [
      { usage: { input_tokens: 10, output_tokens: 5, thought_tokens: 1 } },
      "usage.thought_tokens invalid_body",
    ],
    [
      { usage: { input_tokens: 10, output_tokens: 5, units: { web_search: 1.5 } } },
      "usage.units.web_search invalid_type",
    ],
    [{ usage: { input_tokens: 10, output_tokens: 5, units: { image: 1 } } }, "usage.units.image no_price"],
    [{ variant: "flex" }, "variant no_price"],
  ])("is refused if it cannot be right, naming the field: %j", async (wrong, field) => {
    const org = await newSpender();
    await org.send("PUT", "models/acme%2Fm1", {
      ...PLAIN,
      units: { web_search: "0.01" },
      variants: { batch: "0.5" },
    });
    const alone = await priced(org, wrong);
    expect([alone.status, fieldsOf(alone)]).toEqual([422, [field]]);
    const bulk = await org.bulk([{ ...unpriced, ...wrong }]);
    expect([bulk.status, fieldsOf(bulk)]).toEqual([422, [`runs[0].${field}`]]);
  });

  test("counts no unit that its price cannot have, alone and in a batch", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/acme%2Fm1", PLAIN);
    const usage = { input_tokens: 10, output_tokens: 5, units: { a: 1 } };
    const text = JSON.stringify({ ...unpriced, usage }).replace('"a"', '"__proto__"');
    const alone = await call("POST", "/v1/runs", { key: org.key, body: text });
    expect([alone.status, fieldsOf(alone)]).toEqual([422, ["usage.units.__proto__ invalid_value"]]);
    const bulk = await call("POST", "/v1/runs/bulk", { key: org.key, body: `{"runs":[${text}]}` });
    expect([bulk.status, fieldsOf(bulk)]).toEqual([422, ["runs[0].usage.units.__proto__ invalid_value"]]);
  });

  test("sent again with other classes is a different run", async () => {
    const org = await newSpender();
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, units: { b: 1, a: 2 } };
    await org.run({ id: "r", usage, variant: "v" });
    const same = { ...usage, audio_output_tokens: 0, units: { a: 2, b: 1, c: 0 } };
    expect((await org.run({ id: "r", usage: same, variant: "v" })).status).toBe(200);
    for (const other of [
      { usage: { ...usage, cache_read_tokens: 5 } },
      { usage: { ...usage, units: { a: 2 } } },
      { usage, variant: "w" },
    ]) {
      expect((await org.run({ id: "r", variant: "v", ...other })).status).toBe(409);
    }
  });
});

describe("a reservation", () => {
  test("is made at the highest rates that can apply, and the run is charged at its own", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", SONNET);
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "100", period: "month" });
    const estimate = { input_tokens: 200_001, max_output_tokens: 1000 };
    const decided = await org.decide("", { model: "m", estimate });
    expect(decided.body.reservation.amount_usd).toBe("2.422512");
    const half = await org.decide("", { model: "m", estimate, variant: "batch", hold_seconds: 30 });
    expect(half.body.reservation.amount_usd).toBe("1.211256");
    expect(fieldsOf(await org.decide("", { model: "m", estimate, variant: "flex" }))).toEqual([
      "variant no_price",
    ]);
    const usage = { input_tokens: 200_001, output_tokens: 1000, cache_write_1h_tokens: 200_001 };
    const settled = await priced(org, { model: "m", usage, reservation_id: decided.body.reservation.id });
    expect(settled.body.cost_usd).toBe("2.422512");
  });

  test("made before a price change is settled at the price when the run started", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", PLAIN);
    const budget = (await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "5", period: "month" }))
      .body;
    const estimate = { input_tokens: 1_000_000, max_output_tokens: 0 };
    const before = new Date().toISOString();
    const first = await org.decide("", { model: "m", estimate });
    await org.advance(60);
    await org.send("PUT", "models/m", { ...PLAIN, input_usd_per_mtok: "9" });
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const late = new Date(Date.now() + 120_000).toISOString();
    const run = { model: "m", usage, reservation_id: first.body.reservation.id, started_at: late };
    const settled = await priced(org, run);
    expect(settled.body).toMatchObject({
      cost_usd: "9.00",
      charges: [{}, {}, { id: budget.id, over_usd: "4.00" }],
    });
    const early = await priced(org, { model: "m", usage, incurred: true, started_at: before });
    expect(early.body.cost_usd).toBe("3.00");
    expect((await org.send("GET", `budgets/${budget.id}`)).body).toMatchObject({ spent_usd: "12.00" });
  });
});
