import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { copyReservation } from "../../support/many-holds.ts";

const MANY = 140_000;

test("a budget's period changes with 140,000 open reservations, and each is counted", async () => {
  const org = await newSpender();
  const body = { scope_kind: "org", limit_usd: "1000000", period: "month", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", body)).body;
  const decided = await org.decide("1", { hold_seconds: 3600 });
  await copyReservation(org.id, decided.body.reservation.id, MANY - 1, Date.now() + 3_600_000);
  const changed = await org.send("PATCH", `budgets/${id}`, { period: "total" });
  expect([changed.status, changed.body.reserved_usd]).toEqual([200, `${MANY}.00`]);
});
