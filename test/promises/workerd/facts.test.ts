import { describe, expect, test, vi } from "vitest";
import { aRun, newSpender } from "../../support/ledger.ts";
import { PATIENT } from "../../support/patience.ts";

const DAY = 86_400;

describe("a reservation", () => {
  test("is settled by its run at any cost, and the part over a limit is counted and announced", async () => {
    const org = await newSpender();
    const budget = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "5", period: "month" });
    const held = await org.decide("4");
    const reservation_id = held.body.reservation.id;
    expect((await org.run({ cost_usd: "2" })).status).toBe(402);
    const settled = await org.run({ id: "r", reservation_id, cost_usd: "7" });
    expect(settled.status).toBe(201);
    expect(settled.body.charges).toContainEqual({
      kind: "budget",
      id: budget.body.id,
      amount_usd: "7.00",
      over_usd: "2.00",
    });
    const read = await org.send("GET", `budgets/${budget.body.id}`);
    expect(read.body).toMatchObject({ spent_usd: "7.00", reserved_usd: "0.00", available_usd: "0.00" });
    expect(await org.events("run.over_limit")).toMatchObject([
      { data: { run_id: "r", limits: [{ id: budget.body.id, over_usd: "2.00" }] } },
    ]);
    expect((await org.run({ reservation_id })).body.error.code).toBe("conflict");
    expect((await org.release(reservation_id)).status).toBe(409);
  });

  test("is not spending: only what is spent past a limit is announced, each dollar once", async () => {
    const org = await newSpender();
    const budget = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "10", period: "month" });
    const { id } = budget.body;
    const held = await org.decide("5");
    const within = await org.run({ id: "within", cost_usd: "6", incurred: true });
    expect(within.body.charges).toContainEqual({ kind: "budget", id, amount_usd: "6.00" });
    expect(await org.events("run.over_limit")).toEqual([]);
    await org.run({ id: "past", cost_usd: "5", reservation_id: held.body.reservation.id });
    const over = async () =>
      (await org.events("run.over_limit")).map(({ data }) => [data["run_id"], data["limits"]]);
    const first = ["past", [{ kind: "budget", id, over_usd: "1.00" }]];
    expect(await over()).toEqual([first]);
    // What was spent before the limit was lowered was within the limit at that time.
    await org.send("PATCH", `budgets/${id}`, { limit_usd: "2" });
    await org.bulk([aRun({ id: "after", cost_usd: "3", incurred: true })]);
    expect(await over()).toEqual([first, ["after", [{ kind: "budget", id, over_usd: "3.00" }]]]);
  });

  test("counts as over a lowered limit by what it is settled for, and not before", async () => {
    const org = await newSpender();
    const budget = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "10", period: "month" });
    const { id } = budget.body;
    const held = await org.decide("9");
    await org.send("PATCH", `budgets/${id}`, { limit_usd: "5" });
    await org.run({ cost_usd: "3", incurred: true });
    expect(await org.events("run.over_limit")).toEqual([]);
    await org.run({ cost_usd: "9", reservation_id: held.body.reservation.id });
    expect(await org.events("run.over_limit")).toMatchObject([
      { data: { limits: [{ kind: "budget", id, over_usd: "7.00" }] } },
    ]);
  });

  test("settled for less returns the rest", async () => {
    const org = await newSpender();
    const budget = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "5", period: "month" });
    const held = await org.decide("5");
    expect((await org.decide("0.000000001")).status).toBe(402);
    await org.run({ reservation_id: held.body.reservation.id, cost_usd: "1" });
    expect((await org.send("GET", `budgets/${budget.body.id}`)).body.available_usd).toBe("4.00");
    // The isolate repeats a denial for a moment before it asks again.
    await vi.waitFor(async () => expect((await org.decide("4")).status).toBe(200), PATIENT);
  });

  test("made before midnight and settled after it counts only on the day it was made", async () => {
    const org = await newSpender();
    const budget = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "5", period: "day" });
    const held = await org.decide("3", { hold_seconds: DAY });
    await org.advance(DAY / 2 + (DAY / 2 - 60));
    const spent = async () => (await org.send("GET", `budgets/${budget.body.id}`)).body.spent_usd;
    expect((await org.send("GET", `budgets/${budget.body.id}`)).body.reserved_usd).toBe("0.00");
    const run = await org.run({ reservation_id: held.body.reservation.id, cost_usd: "3" });
    expect(run.body.charged_at).toBe(held.body.evaluated_at);
    expect(await spent()).toBe("0.00");
    expect((await org.run({ cost_usd: "5" })).status).toBe(201);
    expect(await spent()).toBe("5.00");
  });

  test("expires, is announced, frees its amount, and its run is still recorded", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "5", period: "total" });
    const held = await org.decide("5", { hold_seconds: 60 });
    expect((await org.run()).status).toBe(402);
    await org.advance(61);
    expect(await org.events("reservation.expired")).toMatchObject([
      { data: { reservation_id: held.body.reservation.id, amount_usd: "5.00" } },
    ]);
    expect((await org.run({ cost_usd: "5" })).status).toBe(201);
    const late = await org.run({ reservation_id: held.body.reservation.id, cost_usd: "1" });
    expect(late.status).toBe(201);
    expect(await org.events("run.over_limit")).toHaveLength(1);
  });

  test("that does not exist is reported as the invalid field", async () => {
    const org = await newSpender();
    const refused = await org.run({ reservation_id: "rsv_00000000000000000000000000" });
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "reservation_id"]);
  });
});

describe("a dry run", () => {
  test("reserves nothing and says what would be denied", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "month" });
    const fine = await org.decide("1", { dry_run: true });
    expect(fine.body).toMatchObject({ decision: "allow", reservation: null, would_deny: null });
    const denied = await org.decide("2", { dry_run: true });
    expect(denied.status).toBe(200);
    expect(denied.body.would_deny).toMatchObject({
      status: 402,
      code: "budget_exceeded",
      details: { limit_usd: "1.00" },
    });
    expect(await org.events("budget.exceeded")).toEqual([]);
    expect((await org.decide("1")).status).toBe(200);
  });
});

test("a run that already happened is recorded regardless of limits", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "0", period: "month" });
  await org.send("PUT", "spend-cap", { cap_usd: "0" });
  expect((await org.run()).status).toBe(402);
  const fact = await org.run({ incurred: true });
  expect(fact.status).toBe(201);
  const [over] = await org.events("run.over_limit");
  expect(over?.data["limits"]).toMatchObject([{ kind: "spend_cap" }, { kind: "budget" }]);
});

test("a batch refused with a single code returns that error; a mixed batch returns a result per run", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "2", period: "month" });
  const mixed = await org.bulk([aRun(), aRun({ cost_usd: "5" }), aRun(), aRun()]);
  expect(mixed.body).toMatchObject({ accepted: 2, rejected: 2 });
  expect(mixed.body.results[1].error).toMatchObject({
    code: "budget_exceeded",
    details: { limit_usd: "2.00" },
  });
  const refused = await org.bulk([aRun(), aRun({ cost_usd: "3" })]);
  expect([refused.status, refused.body.error.code]).toEqual([402, "budget_exceeded"]);
  expect(await org.events("budget.exceeded")).toHaveLength(1);
});

test("facts in a batch that has room for all of it are charged once", async () => {
  const org = await newSpender();
  const budget = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", budget)).body;
  const { id: reservation_id } = (await org.decide("5")).body.reservation;
  const batch = [
    aRun({ cost_usd: "1", incurred: true }),
    aRun({ cost_usd: "2" }),
    aRun({ cost_usd: "3", reservation_id }),
  ];
  expect((await org.bulk(batch)).body).toMatchObject({ accepted: 3 });
  expect((await org.send("GET", `budgets/${id}`)).body).toMatchObject({
    spent_usd: "6.00",
    reserved_usd: "0.00",
  });
});
