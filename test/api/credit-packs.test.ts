import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";

async function grant(org: Spender, fields: object): Promise<string> {
  const made = await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "1", ...fields });
  expect(made.status).toBe(201);
  return made.body.id;
}

async function remaining(org: Spender, id: string): Promise<string> {
  return (await org.send("GET", `credit-packs/${id}`)).body.remaining_usd;
}

const in30Days = () => new Date(Date.now() + 30 * 86_400_000).toISOString();

test("packs are used by priority, then expiry, then age, and cover a charge together or not at all", async () => {
  const org = await newSpender();
  const old = await grant(org, { priority: 2 });
  const young = await grant(org, { priority: 2 });
  const expiring = await grant(org, { priority: 2, expires_at: in30Days() });
  const first = await grant(org, { priority: 1 });
  const drawn = await org.run({ customer_id: "c", cost_usd: "2.5" });
  expect(drawn.body.charges.filter((one: { kind: string }) => one.kind === "credit_pack")).toMatchObject([
    { id: first, amount_usd: "1.00" },
    { id: expiring, amount_usd: "1.00" },
    { id: old, amount_usd: "0.50" },
  ]);
  const refused = await org.run({ customer_id: "c", cost_usd: "1.6" });
  expect([refused.status, refused.body.error.code]).toEqual([402, "credits_exhausted"]);
  expect(refused.body.error.details).toEqual({ available_usd: "1.50", attempted_usd: "1.60" });
  expect(await remaining(org, young)).toBe("1.00");
  expect(await org.events("credit_pack.depleted")).toHaveLength(2);
});

test("a customer without a live pack never sees credits_exhausted, one with an empty live pack does", async () => {
  const org = await newSpender();
  const id = await grant(org, {});
  expect((await org.run({ customer_id: "other", cost_usd: "9" })).status).toBe(201);
  expect((await org.run({ customer_id: "c" })).status).toBe(201);
  expect((await org.run({ customer_id: "c" })).body.error.code).toBe("credits_exhausted");
  const voided = await org.send("POST", `credit-packs/${id}/void`, {});
  expect(voided.body).toMatchObject({ status: "voided", remaining_usd: "0.00", spent_usd: "1.00" });
  expect((await org.run({ customer_id: "c", cost_usd: "9" })).status).toBe(201);
  expect((await org.send("POST", `credit-packs/${id}/void`, {})).status).toBe(409);
});

test("a pack is live from its start to its expiry, and its expiry is announced once", async () => {
  const org = await newSpender();
  const now = await org.advance(1);
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  const id = await grant(org, { effective_at: at(1), expires_at: at(2) });
  const tooMuch = { customer_id: "c", cost_usd: "5" };
  expect((await org.run(tooMuch)).status).toBe(201);
  await org.advance(3600);
  expect((await org.run(tooMuch)).status).toBe(402);
  await org.advance(3600);
  expect((await org.run(tooMuch)).status).toBe(201);
  expect(await org.events("credit_pack.expired")).toMatchObject([{ data: { credit_pack_id: id } }]);
  expect((await org.send("GET", `credit-packs/${id}`)).body.status).toBe("expired");
});

test("a fact uses what is left and records the rest as uncovered", async () => {
  const org = await newSpender();
  const id = await grant(org, {});
  const fact = await org.run({ customer_id: "c", cost_usd: "1.25", incurred: true });
  expect(fact.body).toMatchObject({ uncovered_usd: "0.25" });
  expect(await remaining(org, id)).toBe("0.00");
  expect(await org.events("run.over_limit")).toMatchObject([
    { data: { limits: [{ kind: "credits", over_usd: "0.25" }] } },
  ]);
});

test.each([
  ["expires_at", { effective_at: "2027-01-02T00:00:00Z", expires_at: "2027-01-01T00:00:00Z" }],
  ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
  ["effective_at", { effective_at: "2027-01-02T00:00:00" }],
  ["customer_id", { customer_id: "*" }],
  ["amount_usd", { amount_usd: "-1" }],
])("a pack with a bad %s is refused", async (field, fields) => {
  const org = await newSpender();
  const refused = await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "1", ...fields });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.fields[0].field).toBe(field);
});
