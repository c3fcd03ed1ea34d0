import { describe, expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";

const price = { input_usd_per_mtok: "3", output_usd_per_mtok: "15" };

test("runs and decisions without a cost are priced from the price book, rounded up to the nano-dollar", async () => {
  const org = await newSpender();
  const set = await org.send("PUT", "models/acme%2Fm1", price);
  expect(set.body).toMatchObject({ model: "acme/m1", input_usd_per_mtok: "3.00" });
  const run = await org.run({ cost_usd: undefined, usage: { input_tokens: 1000, output_tokens: 200 } });
  expect(run.body.cost_usd).toBe("0.006");
  const decided = await org.decide("", { model: "acme/m1", estimate: { input_tokens: 1000 } });
  expect(decided.body.reservation.amount_usd).toBe("0.06444");
  await org.send("PUT", "models/odd", { input_usd_per_mtok: "0.000000001", output_usd_per_mtok: "0" });
  const tiny = await org.run({ model: "odd", cost_usd: undefined });
  expect(tiny.body.cost_usd).toBe("0.000000001");
});

test("a price is listed, read and removed", async () => {
  const org = await newSpender();
  await org.send("PUT", "models/a", { ...price, regions: ["eu-west"] });
  expect((await org.send("GET", "models")).body.data).toMatchObject([{ model: "a", regions: ["eu-west"] }]);
  expect((await org.send("DELETE", "models/a")).status).toBe(204);
  expect((await org.send("GET", "models/a")).status).toBe(404);
});

describe("a price that begins before its deletion", () => {
  test("is refused, and the list of models still answers", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", price);
    const before = new Date((await org.advance(60)) - 1000).toISOString();
    expect((await org.send("DELETE", "models/m")).status).toBe(204);
    const refused = await org.send("PUT", "models/m", { ...price, effective_at: before });
    expect([refused.status, refused.body.error?.details.fields]).toEqual([
      422,
      [
        {
          field: "effective_at",
          code: "out_of_range",
          message: expect.stringMatching(/^must not be before 20\S+Z, when the price was deleted/),
        },
      ],
    ]);
    const listed = await org.send("GET", "models");
    expect([listed.status, listed.body.data]).toEqual([200, []]);
    expect((await org.send("GET", "models/m")).status).toBe(404);
  });

  test("leaves one that begins at the deletion or later in force", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", price);
    await org.send("DELETE", "models/m");
    const [{ effective_at: deletedAt }] = (await org.send("GET", "models/m/prices")).body.data;
    await org.advance(60);
    expect((await org.send("PUT", "models/m", { ...price, effective_at: deletedAt })).status).toBe(200);
    expect((await org.send("GET", "models/m")).body).toMatchObject({ effective_at: deletedAt });
    expect((await org.send("GET", "models")).body.data).toMatchObject([{ model: "m" }]);
  });

  test("begins with the deletion if the clock was set back since then", async () => {
    const org = await newSpender();
    await org.send("PUT", "models/m", price);
    await org.send("DELETE", "models/m");
    await rowsOf(
      org.id,
      "UPDATE price_revisions SET effective_at = effective_at + 60000 WHERE terms IS NULL",
    );
    expect((await org.send("PUT", "models/m", price)).status).toBe(200);
    await org.advance(120);
    expect((await org.send("GET", "models/m")).body).toMatchObject({ source: "org" });
  });
});

test("a stored model without any price is left out of the list, which still answers", async () => {
  const org = await newSpender();
  await org.send("PUT", "models/a", price);
  await org.send("PUT", "models/b", price);
  await rowsOf(org.id, "UPDATE price_revisions SET terms = NULL WHERE model = 'a'");
  const { status, body } = await org.send("GET", "models");
  expect([status, body.data.map(({ model }: { model: string }) => model)]).toEqual([200, ["b"]]);
});
