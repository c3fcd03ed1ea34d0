import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";

/** A prepaid quota that was ended and made again is another one, although it has the same name. */

async function prepaid(org: Spender): Promise<void> {
  expect((await org.operate("PUT", "/v1/orgs/{org}/quota", {})).status).toBe(200);
  const topUp = await org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "10" });
  expect(topUp.status).toBe(201);
}

async function anew(org: Spender): Promise<void> {
  expect((await org.operate("DELETE", "/v1/orgs/{org}/quota")).status).toBe(204);
  // Whatever is made later is of a later moment.
  await org.advance(1);
  await prepaid(org);
}

const quota = async (org: Spender) => (await org.send("GET", "quota")).body;
const FRESH = { balance_usd: "10.00", reserved_usd: "0.00", available_usd: "10.00" };

test("counts neither runs nor reservations of the one before", async () => {
  const org = await newSpender();
  await prepaid(org);
  expect((await org.run({ cost_usd: "2" })).status).toBe(201);
  expect((await org.decide("3", { hold_seconds: 3600 })).status).toBe(200);
  expect(await quota(org)).toMatchObject({ balance_usd: "8.00", reserved_usd: "3.00" });
  await anew(org);
  expect(await quota(org)).toMatchObject(FRESH);
});

test.each(["release", "settle", "expire"] as const)(
  "keeps its own reservations when one of the one before ends (%s)",
  async (end) => {
    const org = await newSpender();
    await prepaid(org);
    const { id } = (await org.decide("3", { hold_seconds: 60 })).body.reservation;
    await anew(org);
    expect((await org.decide("4", { hold_seconds: 3600 })).status).toBe(200);
    if (end === "release") expect((await org.release(id)).status).toBe(204);
    else if (end === "settle")
      expect((await org.run({ reservation_id: id, cost_usd: "1" })).status).toBe(201);
    else await org.advance(60);
    expect(await quota(org)).toMatchObject({ balance_usd: "10.00", reserved_usd: "4.00" });
  },
);
