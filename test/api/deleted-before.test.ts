import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

test("a report over runs that were all deleted says the same time whenever it is read", async () => {
  const org = await newSpender();
  await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
  const made = await org.run({ id: "r1" });
  await org.advance(4 * 86_400);
  const read = async () => (await org.send("GET", "usage/report?group_by=model")).body.deleted_before;
  const first = await read();
  expect(Date.parse(first)).toBe(Date.parse(made.body.recorded_at) + 1);
  await org.advance(60);
  expect(await read()).toBe(first);
});
