import { expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

test("a customer limit refuses as a budget of that customer and does not affect others", async () => {
  const org = await newSpender();
  const made = await org.send("POST", "customer-limits", {
    customer_id: "c1",
    limit_usd: "1",
    period: "day",
  });
  expect(made.status).toBe(201);
  expect((await org.run({ customer_id: "c1" })).status).toBe(201);
  const refused = await org.run({ customer_id: "c1" });
  expect([refused.status, refused.body.error.code]).toEqual([402, "budget_exceeded"]);
  expect(refused.body.error.details).toEqual({
    budget_id: made.body.id,
    scope_kind: "customer",
    limit_usd: "1.00",
    spent_usd: "1.00",
    period_start: made.body.period_start,
    period_end: made.body.period_end,
  });
  expect((await org.run({ customer_id: "c2", cost_usd: "9" })).status).toBe(201);
  expect(await org.events("customer_limit.exceeded")).toHaveLength(1);
});

test("a limit for * counts each customer separately, except those with their own limit", async () => {
  const org = await newSpender();
  await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "1", period: "month" });
  await org.send("POST", "customer-limits", { customer_id: "vip", limit_usd: "3", period: "month" });
  const outcomes: number[] = [];
  for (const customer_id of ["a", "b", "a", "vip", "vip", "vip", "vip", "*", "*"]) {
    outcomes.push((await org.run({ customer_id })).status);
  }
  expect(outcomes).toEqual([201, 201, 402, 201, 201, 201, 402, 201, 402]);
});

test("a customer has one limit per period; it can be changed and deleted", async () => {
  const org = await newSpender();
  const body = { customer_id: "c", limit_usd: "1", period: "day" };
  const made = await org.send("POST", "customer-limits", body);
  expect((await org.send("POST", "customer-limits", body)).status).toBe(409);
  expect((await org.send("POST", "customer-limits", { ...body, period: "week" })).status).toBe(201);
  const path = `customer-limits/${made.body.id}`;
  expect((await org.send("PATCH", path, { period: "week" })).status).toBe(409);
  await org.run({ customer_id: "c" });
  const changed = await org.send("PATCH", path, { limit_usd: "2", period: "year" });
  expect(changed.body).toMatchObject({ limit_usd: "2.00", period: "year", spent_usd: "1.00" });
  expect((await org.send("DELETE", path)).status).toBe(204);
  expect((await org.send("GET", "customer-limits?customer_id=c")).body.data).toHaveLength(1);
});

test("a customer named * is charged once to the limit for every other customer", async () => {
  const org = await newSpender();
  const every = await org.send("POST", "customer-limits", {
    customer_id: "*",
    limit_usd: "10",
    period: "month",
  });
  await org.send("POST", "customer-limits", { customer_id: "zed", limit_usd: "10", period: "month" });
  const run = await org.run({ customer_id: "*", cost_usd: "6" });
  const charges = run.body.charges as { kind: string }[];
  expect(charges.filter(({ kind }) => kind === "customer_limit")).toEqual([
    { kind: "customer_limit", id: every.body.id, amount_usd: "6.00" },
  ]);
  const dry = await org.decide("4", { customer_id: "*", dry_run: true });
  expect(dry.body.limits).toEqual([{ kind: "customer_limit", id: every.body.id, available_usd: "4.00" }]);
  const both = await org.bulk([aRun({ customer_id: "*", cost_usd: "2" }), aRun({ customer_id: "zed" })]);
  expect(both.body.accepted).toBe(2);
  expect((await org.run({ customer_id: "*", cost_usd: "2" })).status).toBe(201);
  expect((await org.run({ customer_id: "*", cost_usd: "0.01" })).status).toBe(402);
});

test("a limit says what had already happened when it was passed, and not what it admitted before it was lowered", async () => {
  const org = await newSpender();
  const limit = { limit_usd: "10", period: "month" };
  const own = await org.send("POST", "customer-limits", { customer_id: "c", ...limit });
  const budget = await org.send("POST", "budgets", { scope_kind: "workflow", scope_id: "w", ...limit });
  const grouped = await org.send("POST", "budgets", { match: {}, group_by: ["user_id"], ...limit });
  const read = async () => {
    const of = async (path: string) => (await org.send("GET", path)).body;
    const { limits } = await of("customers/c");
    const [one, other] = [await of(`customer-limits/${own.body.id}`), await of(`budgets/${budget.body.id}`)];
    expect(limits[0].over_usd).toBe(one.over_usd);
    return [one.spent_usd, one.over_usd, other.spent, other.over];
  };
  const run = { customer_id: "c", workflow_id: "w", incurred: true };
  expect(await read()).toEqual(["0.00", "0.00", "0.00", "0.00"]);
  // While others hold the room, nothing is passed yet.
  const held = await org.decide("9", { customer_id: "c", workflow_id: "w" });
  await org.run({ ...run, id: "first", cost_usd: "4" });
  expect(await read()).toEqual(["4.00", "0.00", "4.00", "0.00"]);
  expect((await org.release(held.body.reservation.id)).status).toBe(204);
  await org.run({ ...run, id: "second", cost_usd: "8.5" });
  expect(await read()).toEqual(["12.50", "2.50", "12.50", "2.50"]);
  const body = { amount_usd: "-1.5", reason: "refund" };
  await call("POST", "/v1/runs/second/adjustments", { key: org.key, body });
  expect(await read()).toEqual(["11.00", "1.00", "11.00", "1.00"]);
  const lower = { limit_usd: "3" };
  await org.send("PATCH", `customer-limits/${own.body.id}`, lower);
  await org.send("PATCH", `budgets/${budget.body.id}`, lower);
  const [, over, , budgetOver] = (await read()).map(Number);
  expect([over, budgetOver].every((some = 0) => some > 0 && some < 8)).toBe(true);
  await org.send("PATCH", `budgets/${budget.body.id}`, { limit_usd: "20" });
  expect((await read())[3]).toBe("0.00");
  expect((await org.send("GET", `budgets/${grouped.body.id}`)).body.over).toBeNull();
  const all = await org.send("POST", "customer-limits", { customer_id: "*", ...limit });
  expect(all.body.over_usd).toBeNull();
});
