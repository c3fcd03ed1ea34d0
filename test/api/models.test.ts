import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

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
