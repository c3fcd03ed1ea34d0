import { expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { call, operatorKey } from "../support/worker.ts";

const PRICE = { input_usd_per_mtok: "1000000", output_usd_per_mtok: "0" };

test.each(["m".repeat(200), "acme/modèle-日本語 🚀", "a b?c#d%e", "ft:gpt-4o:acme::x/y"])(
  "a run's model %s can be priced, read and removed under its name",
  async (model) => {
    const org = await newSpender();
    const path = `models/${encodeURIComponent(model)}`;
    expect((await org.send("PUT", path, PRICE)).status).toBe(200);
    expect((await org.send("GET", path)).body).toMatchObject({ model, input_usd_per_mtok: "1000000.00" });
    const { cost_usd: _, ...unpriced } = aRun({ model, usage: { input_tokens: 3, output_tokens: 1 } });
    const run = await call("POST", "/v1/runs", { key: org.key, body: unpriced });
    expect([run.status, run.body.cost_usd]).toEqual([201, "3.00"]);
    expect((await org.send("GET", `${path}/prices`)).body.data).toHaveLength(1);
    expect((await org.send("DELETE", path)).status).toBe(204);
    expect((await org.send("GET", path)).status).toBe(404);
  },
);

test("a name that no run can have is refused with the reason", async () => {
  const org = await newSpender();
  const path = `models/${"m".repeat(201)}`;
  const refused = await org.send("PUT", path, PRICE);
  expect([refused.status, refused.body.error.details.fields]).toEqual([
    422,
    [{ field: "model", code: "out_of_range", message: "must have at most 200 characters" }],
  ]);
  expect((await org.send("GET", path)).status).toBe(404);
});

test("the variant standard is always 1: another factor is refused, in an org's price and in the book", async () => {
  const org = await newSpender();
  const terms = (factor: string) => ({ ...PRICE, variants: { standard: factor, batch: "0.5" } });
  const refused = await org.send("PUT", "models/m", terms("0.1"));
  expect(refused.body.error.details.fields).toMatchObject([{ field: "variants.standard" }]);
  expect((await org.send("PUT", "models/m", terms("1.0"))).status).toBe(200);
  const book = { models: [{ model: "standard-test", ...terms("2") }] };
  const both = await call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: book });
  expect(both.body.error.details.fields).toMatchObject([{ field: "models[0].variants.standard" }]);
});
