import { runInDurableObject } from "cloudflare:test";
import { afterAll, describe, expect, test } from "vitest";
import { PlatformBook } from "../../src/org/models/platform-book.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

/** All orgs share the book, so each test uses its own models in it. */

const MINI = {
  model: "pb-mini",
  provider: "maker",
  aliases: ["pb-mini-20240718", "pb-small-########"],
  source: "page",
  input_usd_per_mtok: "0.15",
  output_usd_per_mtok: "0.60",
  cache_read_usd_per_mtok: "0.075",
  units: { web_search: "0.01" },
};
const PLAIN = { input_usd_per_mtok: "1", output_usd_per_mtok: "2" };
const USAGE = { input_tokens: 1_000_000, output_tokens: 0 };

const read = async () => (await call("GET", "/v1/admin/price-book", { key: operatorKey() })).body;
const write = (models: readonly object[], headers = {}) =>
  call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models }, headers });
const priced = (org: Spender, model: string, fields: object = {}) =>
  org.run({ model, cost_usd: undefined, usage: USAGE, ...fields });

afterAll(async () => {
  await write([]);
});

test("the book is read back as it was set, and setting it twice makes one revision", async () => {
  const first = await write([MINI]);
  expect(first).toMatchObject({ status: 200, body: { models: [{ ...MINI, reasoning_usd_per_mtok: null }] } });
  expect((await write([{ ...MINI, input_usd_per_mtok: "0.150" }])).body).toEqual(first.body);
  expect(await read()).toEqual(first.body);
  const second = await write([MINI, { model: "pb-other", ...PLAIN }]);
  expect(second.body.revision).toBe(first.body.revision + 1);
  expect((await write([])).body).toMatchObject({ revision: first.body.revision + 2, models: [] });
});

test("only the operator can read and set it, and invalid rows are refused, naming the field", async () => {
  const { ownerKey: key } = await newOrg();
  expect((await call("GET", "/v1/admin/price-book", { key })).status).toBe(403);
  expect((await call("PUT", "/v1/admin/price-book", { key, body: { models: [] } })).status).toBe(403);
  const before = await read();
  const wrong = await write([
    { model: "a", ...PLAIN },
    { model: "a", ...PLAIN },
    { model: "b", ...PLAIN, input_usd_per_mtok: "-1" },
    { model: "c", ...PLAIN, tiers: [{ above_input_tokens: 5 }, { above_input_tokens: 4 }] },
  ]);
  expect(wrong.status).toBe(422);
  const fields = wrong.body.error.details.fields.map(({ field }: { field: string }) => field);
  expect(fields).toContain("models[2].input_usd_per_mtok");
  const twice = await write([
    { model: "a", ...PLAIN },
    { model: "a", ...PLAIN },
  ]);
  expect(twice.body.error.details.fields).toMatchObject([{ field: "models[1].model", code: "duplicate" }]);
  const tiers = await write([
    { model: "c", ...PLAIN, tiers: [{ above_input_tokens: 5 }, { above_input_tokens: 4 }] },
  ]);
  expect(tiers.body.error.details.fields).toMatchObject([{ field: "models[0].tiers[1].above_input_tokens" }]);
  expect(await read()).toEqual(before);
});

test("of two concurrent changes, one is refused, and If-Match protects a book that has changed", async () => {
  const outdated = await write([MINI], { "if-match": '"other"' });
  expect(outdated.status).toBe(409);
  const before = (await read()).revision;
  const answers = await Promise.all(
    ["1", "2", "3", "4"].map((rate) => write([{ model: "pb-race", ...PLAIN, input_usd_per_mtok: rate }])),
  );
  const made = answers.filter(({ status }) => status === 200);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect((await read()).revision).toBe(before + made.length);
  expect(new Set(made.map(({ body }) => body.revision)).size).toBe(made.length);
});

test("of two operators who change what both have read, at the same moment, exactly one is heard", async () => {
  await write([]);
  const opened = await call("GET", "/v1/admin/price-book", { key: operatorKey() });
  const sameMoment = { "if-match": opened.headers.get("etag") ?? "" };
  const offered = ["3", "4", "5"].map((rate) => ({ model: `pb-both-${rate}`, ...PLAIN }));
  const answers = await Promise.all(offered.map((model) => write([model], sameMoment)));
  expect(answers.filter(({ status }) => status === 409).length).toBe(2);
  const heard = answers.findIndex(({ status }) => status === 200);
  const { revision, models } = await read();
  expect(revision).toBe(opened.body.revision + 1);
  expect(models.map(({ model }: { model: string }) => model)).toEqual([offered[heard]?.model]);
  const late = await write([offered[0] ?? PLAIN], sameMoment);
  expect([late.status, (await read()).revision]).toEqual([409, revision]);
});

describe("an org without its own price", () => {
  test("is charged by the book, under any name of the model", async () => {
    await write([MINI]);
    const org = await newSpender();
    for (const model of [
      "pb-mini",
      "maker/pb-mini",
      "pb-mini-20240718",
      "maker/pb-mini-20240718",
      "pb-small-20260101",
    ]) {
      const run = await priced(org, model, {
        usage: { ...USAGE, cache_read_tokens: 400_000, units: { web_search: 1 } },
      });
      expect([model, run.body.cost_usd, run.body.cost_source]).toEqual([model, "0.13", "price_book"]);
      expect(run.body.cost_breakdown).toHaveLength(3);
    }
    const ask = { model: "maker/pb-mini", estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("0.15");
    expect(
      (await org.bulk([{ started_at: "2026-11-15T02:00:00Z", model: "pb-mini", usage: USAGE }])).body
        .accepted,
    ).toBe(1);
    expect((await org.send("GET", "models/pb-mini")).body).toMatchObject({
      source: "platform",
      provider: "maker",
    });
    const listed = (await org.send("GET", "models?sort=model")).body.data;
    expect(
      listed.map(({ model, source }: { model: string; source: string }) => [model, source]),
    ).toContainEqual(["pb-mini", "platform"]);
  });

  test("is refused if the book does not know the model, and is free if the book says so", async () => {
    await write([{ model: "pb-free", input_usd_per_mtok: "0", output_usd_per_mtok: "0" }]);
    const org = await newSpender();
    for (const model of ["pb-unheard", "other/pb-free", "pb-free-20260101"]) {
      const refused = await priced(org, model);
      expect([model, refused.status, refused.body.error.details.fields[0]]).toMatchObject([
        model,
        422,
        { field: "model", code: "no_price" },
      ]);
    }
    const unknown = { model: "pb-unheard", estimate: { input_tokens: 1 } };
    expect((await org.decide("", unknown)).status).toBe(422);
    expect((await priced(org, "pb-free")).body).toMatchObject({
      cost_usd: "0.00",
      cost_source: "price_book",
    });
    expect((await org.send("GET", "models/pb-unheard")).status).toBe(404);
  });

  test("uses a new price as soon as the call that set it returns", async () => {
    await write([]);
    const org = await newSpender();
    expect((await priced(org, "pb-new")).status).toBe(422);
    await write([{ model: "pb-new", ...PLAIN }]);
    const ask = { model: "pb-new", estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("1.00");
    const first = (await priced(org, "pb-new")).body;
    await write([{ model: "pb-new", ...PLAIN, input_usd_per_mtok: "4" }]);
    const second = (await priced(org, "pb-new", { started_at: new Date().toISOString() })).body;
    expect([first.cost_usd, second.cost_usd]).toEqual(["1.00", "4.00"]);
    expect(second.price_revision).toBeGreaterThan(first.price_revision);
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("4.00");
    const { data } = (await org.send("GET", "models/pb-new/prices")).body;
    expect(data).toMatchObject([
      { source: "platform", status: "current", input_usd_per_mtok: "4.00" },
      { source: "platform", status: "past", input_usd_per_mtok: "1.00" },
    ]);
    await write([]);
    expect((await priced(org, "pb-new", { started_at: new Date().toISOString() })).status).toBe(422);
  });

  test("is charged by its own price once it sets one, until that is removed", async () => {
    await write([MINI]);
    const org = await newSpender();
    expect((await priced(org, "maker/pb-mini")).body.cost_usd).toBe("0.15");
    await org.send("PUT", "models/pb-mini", { ...PLAIN, provider: "maker" });
    const now = () => ({ started_at: new Date().toISOString() });
    expect((await priced(org, "pb-mini", now())).body.cost_usd).toBe("1.00");
    expect((await priced(org, "maker/pb-mini", now())).body.cost_usd).toBe("1.00");
    const { data } = (await org.send("GET", "models")).body;
    expect(data.map(({ model }: { model: string }) => model)).toEqual(["pb-mini"]);
    await org.send("DELETE", "models/pb-mini");
    expect((await priced(org, "pb-mini", now())).body.cost_usd).toBe("0.15");
    expect((await priced(org, "maker/pb-mini", now())).body.cost_usd).toBe("0.15");
    const after = (await org.send("GET", "models?sort=model")).body.data;
    expect(after.map(({ model }: { model: string }) => model)).toEqual(["maker/pb-mini", "pb-mini"]);
  });

  test.each([
    ["pb-own", "maker/pb-own"],
    ["maker/pb-own", "pb-own"],
  ])("and sets its own for %s without a provider is charged by that as %s too", async (own, other) => {
    await write([
      { model: "pb-own", provider: "maker", ...PLAIN },
      { model: "pb-else", provider: "other", ...PLAIN },
    ]);
    const org = await newSpender();
    expect((await priced(org, other)).body.cost_usd).toBe("1.00");
    await org.send("PUT", `models/${encodeURIComponent(own)}`, { ...PLAIN, input_usd_per_mtok: "7" });
    const now = () => ({ started_at: new Date().toISOString() });
    expect((await priced(org, other, now())).body.cost_usd).toBe("7.00");
    const ask = { model: other, estimate: { input_tokens: 1_000_000, max_output_tokens: 0 } };
    expect((await org.decide("", ask)).body.reservation.amount_usd).toBe("7.00");
    const { data } = (await org.send("GET", "models")).body;
    expect(data.map(({ model }: { model: string }) => model)).toEqual([own]);
    await org.send("PUT", "models/pb-else", { ...PLAIN, input_usd_per_mtok: "9", provider: "mine" });
    expect((await priced(org, "other/pb-else", now())).body.cost_usd).toBe("1.00");
    expect((await priced(org, "mine/pb-else", now())).body.cost_usd).toBe("9.00");
  });

  test("learns on waking of a change that it was not told of", async () => {
    await write([{ model: "pb-wake", ...PLAIN }]);
    const org = await newSpender();
    expect((await priced(org, "pb-wake")).body.cost_usd).toBe("1.00");
    await env.DB.prepare("DELETE FROM price_book_readers WHERE org_id = ?").bind(org.id).run();
    await write([{ model: "pb-wake", ...PLAIN, input_usd_per_mtok: "7" }]);
    expect((await priced(org, "pb-wake")).body.cost_usd).toBe("1.00");
    await evict(env.ORG.getByName(org.id));
    await expect
      .poll(async () => (await org.send("GET", "models/pb-wake")).body.input_usd_per_mtok)
      .toBe("7.00");
  });

  test("looks up a name in the database once, until the book changes", async () => {
    await write([MINI]);
    const org = await newSpender();
    await priced(org, "pb-mini");
    await priced(org, "pb-unheard");
    const asked = await runInDurableObject(env.ORG.getByName(org.id), async (object, state) => {
      const never = { prepare: () => expect.unreachable("the database was asked") } as unknown as D1Database;
      const book = new PlatformBook(state.storage, never, org.id);
      const missing = (model: string) => book.missing([{ model }], Date.now());
      return [missing("pb-mini"), missing("pb-unheard"), typeof object];
    });
    expect(asked).toEqual([[], [{ model: "pb-unheard" }], "object"]);
    expect(await rowsOf(org.id, "SELECT model FROM price_revisions")).toEqual([{ model: "pb-mini" }]);
  });
});

test("an object registers before it reads, and accepts no book older than one it was told of", async () => {
  const { revision } = (await write([MINI])).body;
  const org = await newSpender();
  const found = await runInDurableObject(env.ORG.getByName(org.id), async (_object, state) => {
    const asked: string[] = [];
    const watched = {
      prepare(query: string) {
        asked.push(query.includes("price_book_readers") ? "tell me" : "read");
        return env.DB.prepare(query);
      },
      batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    } as unknown as D1Database;
    const book = new PlatformBook(state.storage, watched, org.id);
    await book.load([{ model: "pb-mini" }], Date.now(), "trace");
    const older = await book.reread(revision + 1).catch((error: Error) => error.message);
    return { asked: asked.slice(0, 2), older };
  });
  expect(found).toEqual({
    asked: ["tell me", "read"],
    older: expect.stringContaining("older than revision"),
  });
});

test("the book is read by an org that has used more names than one statement takes", async () => {
  const dated = { model: "pb-many", aliases: ["pb-many-########"], ...PLAIN };
  const exact = { model: "pb-many-20000007", ...PLAIN, input_usd_per_mtok: "8" };
  await write([dated, exact]);
  const org = await newSpender();
  const names = Array.from({ length: 25_000 }, (_, i) => `pb-many-${20_000_000 + i}`);
  const found = await runInDurableObject(env.ORG.getByName(org.id), async (_object, state) => {
    const book = new PlatformBook(state.storage, env.DB, org.id);
    await book.load(
      names.slice(0, 500).map((model) => ({ model })),
      Date.now(),
      "trace",
    );
    state.storage.sql.exec(
      `INSERT INTO price_revisions (model, source, platform_revision, effective_at, created_at, terms)
       SELECT 'pb-many-' || (20000000 + value), 'platform', platform_revision, effective_at, created_at, terms
       FROM (SELECT * FROM price_revisions ORDER BY revision LIMIT 1), json_each(?)`,
      JSON.stringify(Array.from({ length: 24_500 }, (_, i) => i + 500)),
    );
    const { prices } = await book.reread(0);
    return prices.map(({ name, terms }) => [name.model, terms.input_usd_per_mtok] as const);
  });
  const expected = names.map((name) => [name, name === exact.model ? "8.00" : "1.00"] as const);
  expect(new Map(found)).toEqual(new Map(expected));
  const dearer = await write([{ ...dated, input_usd_per_mtok: "2" }, exact]);
  expect(dearer.status).toBe(200);
  expect(
    (await priced(org, "pb-many-20024999", { started_at: new Date().toISOString() })).body,
  ).toMatchObject({
    cost_usd: "2.00",
  });
  const [entry] = (await org.send("GET", "audit-log?action=model.prices_reread&limit=1")).body.data;
  expect(entry.detail.changed_models).toBe(24_999);
  expect(entry.detail.models).toHaveLength(100);
});

test("an unreachable book is 503, and known prices keep working", async () => {
  await write([MINI]);
  const org = await newSpender();
  await priced(org, "pb-mini");
  await env.DB.exec("ALTER TABLE price_book_prices RENAME TO price_book_prices_away");
  try {
    expect((await priced(org, "maker/pb-mini")).status).toBe(503);
    const unread = { model: "maker/pb-mini", estimate: { input_tokens: 1 } };
    expect((await org.decide("", unread)).status).toBe(503);
    expect((await org.send("GET", "models/maker%2Fpb-mini")).status).toBe(503);
    expect((await priced(org, "pb-mini")).status).toBe(201);
    expect((await org.run({ model: "maker/pb-mini" })).status).toBe(201);
  } finally {
    await env.DB.exec("ALTER TABLE price_book_prices_away RENAME TO price_book_prices");
  }
  expect((await priced(org, "maker/pb-mini")).status).toBe(201);
});
