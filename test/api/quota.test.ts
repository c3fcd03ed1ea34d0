import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";

const path = "/v1/orgs/{org}/quota";
const topUp = (org: Spender, amount_usd: string) => org.operate("POST", `${path}/top-ups`, { amount_usd });

test("an org is prepaid only if the operator sets it, and then spends what was topped up", async () => {
  const org = await newSpender();
  expect((await org.send("GET", "quota")).status).toBe(404);
  expect((await org.send("PUT", "quota", {})).status).toBe(403);
  expect((await topUp(org, "1")).status).toBe(404);
  expect((await org.operate("PUT", path, {})).body).toMatchObject({ balance_usd: "0.00" });
  const refused = await org.run();
  expect([refused.status, refused.body.error.code]).toEqual([402, "quota_exhausted"]);
  expect(refused.body.error.details).toEqual({
    quota: "prepaid",
    available_usd: "0.00",
    attempted_usd: "1.00",
  });
  const topped = await topUp(org, "2.5");
  expect([topped.status, topped.body.balance_usd]).toEqual([201, "2.50"]);
  await org.run();
  await org.decide("0.5");
  expect((await org.send("GET", "quota")).body).toMatchObject({
    balance_usd: "1.50",
    reserved_usd: "0.50",
    available_usd: "1.00",
  });
  expect((await org.decide("1.01")).body.error.details).toMatchObject({ available_usd: "1.00" });
  expect((await org.operate("DELETE", path)).status).toBe(204);
  expect((await org.run({ cost_usd: "99" })).status).toBe(201);
});

test("a low balance and an empty one are announced once, and again after a top-up", async () => {
  const org = await newSpender();
  await org.operate("PUT", path, { low_balance_usd: "1.5" });
  await topUp(org, "3");
  for (let i = 0; i < 4; i++) await org.run();
  await org.run();
  expect(await org.events("quota.low")).toHaveLength(1);
  expect(await org.events("quota.exhausted")).toHaveLength(1);
  await topUp(org, "3");
  for (let i = 0; i < 4; i++) await org.run();
  expect(await org.events("quota.low")).toHaveLength(2);
  expect(await org.events("quota.exhausted")).toHaveLength(2);
});

test("a fact can overdraw the balance, which shows by how much", async () => {
  const org = await newSpender();
  await org.operate("PUT", path, {});
  await org.run({ incurred: true, cost_usd: "2" });
  expect((await org.send("GET", "quota")).body).toMatchObject({ balance_usd: "0.00", overdrawn_usd: "2.00" });
  expect((await topUp(org, "0")).status).toBe(422);
});
