import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { changesByTransaction } from "../../support/by-transaction.ts";
import { countOfHolds, isOpen } from "../../support/holds.ts";
import { EVENT_ROWS } from "../../support/logs.ts";
import { copyReservation, endTime } from "../../support/many-holds.ts";
import { receiver, takeNetwork } from "../../support/receivers.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";
import { PATIENT } from "../../support/patience.ts";

/** A transaction ends at most this many, and as many again for each limit that would refuse. */
const AT_ONCE = 500;
const MANY = 15_000;

async function budget(org: Spender, limit_usd: string, more: object = {}): Promise<string> {
  const body = { scope_kind: "org", limit_usd, period: "total", mode: "enforce", ...more };
  return (await org.send("POST", "budgets", body)).body.id;
}

/** Webhooks whose receivers are down, so that their queues do not move. */
async function subscribe(org: Spender, webhooks: number): Promise<void> {
  takeNetwork();
  const url = receiver(() => new Response("down", { status: 500 }));
  for (let webhook = 0; webhook < webhooks; webhook += 1) {
    const made = await org.send("POST", "webhooks", { url, events: ["reservation.*"] });
    expect(made.status).toBe(201);
  }
}

async function count(org: Spender, from: string): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(org.id, `SELECT COUNT(*) AS n FROM ${from}`);
  return row?.n ?? 0;
}

async function reserve(org: Spender, usd: string, more: object = {}): Promise<string> {
  const decided = await org.decide(usd, more);
  expect(decided.status).toBe(200);
  return decided.body.reservation.id;
}

test("15,000 reservations that end together end in bounded transactions, and calls are answered in between", async () => {
  const org = await newSpender();
  const id = await budget(org, String(MANY));
  await subscribe(org, 3);
  const first = await reserve(org, "1");
  await copyReservation(org.id, first, MANY - 1, Date.now() - 1);
  await endTime(org.id, first, Date.now() - 1);
  const changes = await changesByTransaction(org.id, "SELECT IFNULL(SUM(open), 0) AS n FROM hold_pages");
  await runDurableObjectAlarm(env.ORG.getByName(org.id));
  expect(await countOfHolds(org.id, isOpen)).toBe(MANY - AT_ONCE);
  // From here on the object continues by itself.
  let between = 0;
  let allowed = 0;
  await vi.waitUntil(
    async () => {
      const { status } = await org.decide("1");
      expect(status).toBe(200);
      allowed += 1;
      const left = await countOfHolds(org.id, (hold) => isOpen(hold) && hold.expires_at <= Date.now());
      if (left > 0 && left < MANY) between += 1;
      return left === 0;
    },
    { ...PATIENT, interval: 20 },
  );
  // One alarm ended one part, as seen above. How many calls come between the others depends on the machine alone.
  expect(between).toBeGreaterThan(0);
  for (const some of changes) expect(-some).toBeLessThanOrEqual(AT_ONCE);
  expect(await count(org, `${EVENT_ROWS} WHERE type = 'reservation.expired'`)).toBe(MANY);
  expect(await count(org, "webhook_deliveries")).toBe(3 * MANY);
  // This isolate had traffic, and gives back what it did not use.
  const reserved = async () => (await org.send("GET", `budgets/${id}`)).body.reserved_usd;
  await vi.waitUntil(async () => (await reserved()) === `${allowed}.00`, { ...PATIENT, interval: 200 });
});

test("with more webhooks, fewer reservations end at once", async () => {
  const org = await newSpender();
  await budget(org, "1000000");
  await subscribe(org, 50);
  await copyReservation(org.id, await reserve(org, "1"), 200, Date.now() - 1);
  await runDurableObjectAlarm(env.ORG.getByName(org.id));
  const deliveries = await count(org, "webhook_deliveries WHERE event_type = 'reservation.expired'");
  expect(deliveries).toBeGreaterThan(0);
  expect(deliveries).toBeLessThanOrEqual(1500);
});

/** One customer's reservation has expired, and so have many others, which come first. None has been ended yet. */
async function behindManyOthers(limit_usd: string, stands?: string) {
  const org = await newSpender();
  await budget(org, "1000000");
  const made = { customer_id: "b", limit_usd, period: "total" };
  const limit = (await org.send("POST", "customer-limits", made)).body.id as string;
  const other = await reserve(org, "1");
  const own = await reserve(org, "1", { customer_id: "b", request_id: "again" });
  if (stands !== undefined) await reserve(org, stands, { customer_id: "b" });
  await copyReservation(org.id, other, 3 * AT_ONCE, Date.now() - 1000);
  await endTime(org.id, own, Date.now() - 1);
  return { org, own, shown: async () => (await org.send("GET", `customer-limits/${limit}`)).body };
}

test("a limit whose own expired reservations are behind many others has room for a decision at once", async () => {
  const { org, shown } = await behindManyOthers("1");
  expect((await org.decide("1", { customer_id: "b" })).status).toBe(200);
  expect((await org.decide("1", { customer_id: "b" })).status).toBe(402);
  expect((await shown()).reserved_usd).toBe("1.00");
});

test("an answer is not shortened by expired reservations of its limit that are behind many others", async () => {
  const { org } = await behindManyOthers("1");
  await org.send("PUT", "models/m", { input_usd_per_mtok: "0", output_usd_per_mtok: "1000" });
  const estimate = { max_output_tokens: 5000, min_output_tokens: 1 };
  const decided = await org.decide("0", { model: "m", customer_id: "b", estimate });
  expect(decided.body.reservation).toMatchObject({ amount_usd: "1.00", max_output_tokens: 1000 });
});

test("a decision that is still refused gives back what its limit no longer holds", async () => {
  const { org, shown } = await behindManyOthers("3");
  expect((await org.decide("4", { customer_id: "b" })).status).toBe(402);
  expect((await shown()).reserved_usd).toBe("0.00");
});

test("a limit whose own expired reservations are behind many others has room for a run at once", async () => {
  const { org, shown } = await behindManyOthers("1");
  expect((await org.run({ customer_id: "b", cost_usd: "1" })).status).toBe(201);
  expect((await org.run({ customer_id: "b", cost_usd: "1" })).status).toBe(402);
  expect(await shown()).toMatchObject({ reserved_usd: "0.00", spent_usd: "1.00" });
});

test("a batch that ends a reservation and then settles it takes it back once", async () => {
  const { org, own, shown } = await behindManyOthers("5", "3");
  const usage = { input_tokens: 1, output_tokens: 1 };
  const run = { customer_id: "b", model: "m", usage, started_at: new Date().toISOString() };
  const sent = await org.bulk([
    { ...run, cost_usd: "1.75" },
    { ...run, cost_usd: "0.25", reservation_id: own },
  ]);
  expect(sent.body.accepted).toBe(2);
  expect(await shown()).toMatchObject({ reserved_usd: "3.00", spent_usd: "2.00" });
});

test("a request repeated after its reservation expired, behind many others, is held once", async () => {
  const { org, shown } = await behindManyOthers("5");
  await reserve(org, "1", { customer_id: "b", request_id: "again" });
  expect((await shown()).reserved_usd).toBe("1.00");
  expect(await countOfHolds(org.id, (hold) => isOpen(hold) && hold.customer_id === "b")).toBe(1);
  const expired = await org.events("reservation.expired");
  expect(expired.filter(({ data }) => data["amount_usd"] === "1.00").length).toBeGreaterThan(AT_ONCE);
});
