import { expect, test } from "vitest";
import { signedIn } from "../../support/session.ts";
import { call, newOrg } from "../../support/worker.ts";

test("a long list is filtered by a part of a name or id, and a short one offers no filter", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "owner");
  const read = async (query = "") => (await browser.get(`/console/models${query}`)).text();
  const rowsIn = (page: string) =>
    [...page.matchAll(/<td [^>]*><div><a href="\/console\/models\/([^"]+)"/g)].map(([, id]) => id);
  const price = (model: string) =>
    call("PUT", `/v1/orgs/${org.id}/models/${model}`, {
      key: org.ownerKey,
      body: { input_usd_per_mtok: "1", output_usd_per_mtok: "2" },
    });
  const named = (nth: number) => `model-${String(nth).padStart(2, "0")}`;
  for (let nth = 0; nth < 19; nth += 1) expect((await price(named(nth))).status).toBeLessThan(300);
  expect(await read()).not.toContain('name="contains"');
  await price("Odd-one");
  const whole = await read();
  expect([rowsIn(whole).length, whole.includes('name="contains"')]).toEqual([20, true]);
  expect(rowsIn(await read("?contains=ODD"))).toEqual(["Odd-one"]);
  expect(new Set(rowsIn(await read("?contains=MODEL-1")))).toEqual(
    new Set(Array.from({ length: 9 }, (_, nth) => named(nth + 10))),
  );
  const none = await read("?contains=nobody");
  expect([none.includes("Nothing matches"), none.includes('value="nobody"')]).toEqual([true, true]);
});
