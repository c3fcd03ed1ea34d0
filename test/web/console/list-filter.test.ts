import { expect, test } from "vitest";
import { operatorBrowser } from "../../support/operator-browser.ts";
import { signedIn } from "../../support/session.ts";
import { call, newOrg, operatorKey } from "../../support/worker.ts";

test("a long list is filtered by a part of what a row shows or of its id, and a short one offers no filter", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "owner");
  const read = async (query = "") => (await browser.get(`/console/models${query}`)).text();
  const rowsIn = (page: string) =>
    [...page.matchAll(/<td [^>]*><div><a href="\/console\/models\/([^"]+)"/g)].map(([, id]) => id);
  const price = (model: string) =>
    call("PUT", `/v1/orgs/${org.id}/models/${model}`, {
      key: org.ownerKey,
      body: { input_usd_per_mtok: model === "model-03" ? "7.25" : "1", output_usd_per_mtok: "2" },
    });
  const named = (nth: number) => `model-${String(nth).padStart(2, "0")}`;
  const FILTER = 'name="price-book.contains"';
  const models = Array.from({ length: 60 }, (_, nth) => named(nth));
  await Promise.all(models.slice(0, 10).map(price));
  expect(await read()).not.toContain(FILTER);
  await Promise.all([...models.slice(10), "Odd-one"].map(price));
  const whole = await read();
  expect([rowsIn(whole).length, whole.includes(FILTER)]).toEqual([50, true]);
  expect(rowsIn(await read("?price-book.contains=ODD"))).toEqual(["Odd-one"]);
  expect(rowsIn(await read("?price-book.contains=$7.25"))).toEqual(["model-03"]);
  // A list that goes on over the page is searched as a whole, and is sorted at the same time.
  const sorted = await read("?order=-price-book.model&price-book.contains=MODEL-1&cursor=&notice=saved");
  expect(rowsIn(sorted)).toEqual(Array.from({ length: 10 }, (_, nth) => named(19 - nth)));
  expect(sorted).toContain('<input type="hidden" name="order" value="-price-book.model"/>');
  for (const dropped of ["cursor", "notice", "price-book.contains"])
    expect(sorted).not.toContain(`<input type="hidden" name="${dropped}"`);
  const none = await read("?price-book.contains=nobody%22");
  expect([none.includes("Nothing matches"), none.includes('value="nobody&quot;"')]).toEqual([true, true]);
  expect(rowsIn(await read("?keys.contains=ODD"))).toHaveLength(50);
});

test("plans of the platform are filtered, and an answer to a form has no filter", async () => {
  const terms = { runs_limit: null, tokens_limit: null, overage_policy: "allow" };
  for (let nth = 0; nth < 11; nth += 1) {
    const path = `/v1/admin/plans/filtered-${nth}`;
    expect((await call("PUT", path, { key: operatorKey(), body: terms })).status).toBeLessThan(300);
  }
  const operator = await operatorBrowser();
  const plansIn = (page: string) =>
    [...page.matchAll(/data-title="Plan"><div>(filtered-\d+)</g)].map(([, plan]) => plan);
  expect(plansIn(await operator.read("/operator/plans"))).toHaveLength(11);
  expect(plansIn(await operator.read("/operator/plans?plans.contains=ered-1"))).toEqual([
    "filtered-1",
    "filtered-10",
  ]);
  const refused = await (await operator.post("/operator/plans", { plan: "" })).text();
  expect([plansIn(refused).length, refused.includes("plans.contains")]).toEqual([11, false]);
});
