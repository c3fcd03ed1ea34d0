import { expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";

/** More than memory has a place for. */
const USERS = 10_400;

test("a budget counts more groups than memory has, those that come back, and all of them again", async () => {
  const org = await newSpender();
  const made = await org.send("POST", "budgets", {
    match: {},
    group_by: ["user_id"],
    limit_usd: "1",
    period: "month",
  });
  const path = `budgets/${made.body.id}`;
  const run = (user: number, cost_usd: string) => ({
    ...aRun({ user_id: `u${user}`, cost_usd }),
    started_at: new Date().toISOString(),
  });
  for (let from = 0; from < USERS; from += 800) {
    const batch = Array.from({ length: 800 }, (_, index) => run(from + index, "0.6"));
    expect((await org.bulk(batch)).body).toMatchObject({ accepted: 800 });
  }
  const tries = async () => {
    const first = await org.bulk([run(0, "0.5"), run(1, "0.1"), run(USERS - 1, "0.5"), run(USERS + 1, "1")]);
    return first.body.results.map(({ status }: { status: string }) => status);
  };
  expect(await tries()).toEqual(["rejected", "accepted", "rejected", "accepted"]);
  // Every counter is added up again.
  expect((await org.send("PATCH", path, { timezone: "Asia/Tokyo" })).status).toBe(200);
  expect(await tries()).toEqual(["rejected", "accepted", "rejected", "rejected"]);
  const groups = await org.send("GET", `${path}/groups?limit=3`);
  const shown = groups.body.data.map(({ group, spent }: { group: string; spent: string }) => [group, spent]);
  expect(shown).toEqual([
    ["u0", "0.60"],
    ["u1", "0.80"],
    ["u10", "0.60"],
  ]);
});
