import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd, parseUsd } from "../../src/domain/price/money.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { PackModel } from "../support/pack-model.ts";

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

const WHOLE = { customer_id: "c", checks: "all" };

test("two packs of $10 cover three decisions of $6, the second from both, and are never drawn past their amounts", async () => {
  const org = await newSpender();
  const ids = [
    await grant(org, { amount_usd: "10", priority: 1 }),
    await grant(org, { amount_usd: "10", priority: 9 }),
  ];
  const held = [await org.decide("6", WHOLE), await org.decide("6", WHOLE), await org.decide("6", WHOLE)];
  expect(held.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await org.decide("2.01", WHOLE)).body.error.code).toBe("credits_exhausted");
  for (const { body } of held) {
    const run = await org.run({ customer_id: "c", cost_usd: "6", reservation_id: body.reservation.id });
    expect([run.status, run.body.uncovered_usd]).toEqual([201, null]);
  }
  const left: string[] = [];
  for (const id of ids) left.push(await remaining(org, id));
  expect(left).toEqual(["0.00", "2.00"]);
});

const packStep = fc.record({
  kind: fc.constantFrom("reserve", "reserve", "reserve", "settle", "release", "run", "incurred"),
  cents: fc.integer({ min: 0, max: 800 }),
  at: fc.nat(20),
});

test("several packs with open reservations hold and spend what the rule says, and never more than their amounts", async () => {
  const limits = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(packStep, { minLength: 12, maxLength: 24 }), async (cents, steps) => {
      const org = await newSpender();
      const nanosOf = (amount: number) => parseUsd(String(amount / 100)) ?? 0n;
      const model = new PackModel(cents.map(nanosOf));
      const ids: string[] = [];
      for (const [priority, amount] of cents.entries()) {
        ids.push(await grant(org, { amount_usd: formatUsd(nanosOf(amount)), priority }));
      }
      const open: string[] = [];
      for (const { kind, cents: amount, at } of steps) {
        const [nanos, cost_usd] = [nanosOf(amount), String(amount / 100)];
        const run = { customer_id: "c", cost_usd };
        if (kind === "reserve") {
          const { status, body } = await org.decide(cost_usd, WHOLE);
          expect(status).toBe(model.reserve(nanos) ? 200 : 402);
          if (status === 200) open.push(body.reservation.id);
        } else if (kind === "run") {
          expect((await org.run(run)).status).toBe(model.run(nanos) ? 201 : 402);
        } else if (kind === "incurred") {
          const { body } = await org.run({ ...run, incurred: true });
          expect(parseUsd(body.uncovered_usd ?? "0")).toBe(model.incurred(nanos));
        } else if (open.length > 0) {
          const [reservation_id = ""] = open.splice(at % open.length, 1);
          if (kind === "release") {
            expect((await org.release(reservation_id)).status).toBe(204);
            model.release(at);
          } else {
            const { body } = await org.run({ ...run, reservation_id });
            expect(parseUsd(body.uncovered_usd ?? "0")).toBe(model.settle(at, nanos));
          }
        }
        const { body } = await org.send("GET", "credit-packs?limit=10");
        const shown = ids.map((id) => body.data.find((one: { id: string }) => one.id === id));
        expect(shown.map(({ spent_usd, reserved_usd }) => [spent_usd, reserved_usd])).toEqual(
          model.packs().map(({ spent, held }) => [formatUsd(spent), formatUsd(held)]),
        );
      }
    }),
    { numRuns: 6 },
  );
});
