import { describe, expect, test } from "vitest";
import { archiveEverything, newArchivist } from "../support/archive.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { newBudget } from "../support/new-budget.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";
import { BUSY_MS, lengthenLives } from "../support/lives.ts";

const DAY = 86_400;
const CENT = 10_000_000;
const HELD_SECONDS = 900;
const LATE = { count_from: "period_start" } as const;
const ORG = { scope_kind: "org" } as const;
const CHARGED = { on_expiry: "charge" } as const;

const get = async (org: Spender, id: string) => (await org.send("GET", `budgets/${id}`)).body;
const spent = async (org: Spender, id: string) => (await get(org, id)).spent;
const patch = (org: Spender, id: string, body: object) => org.send("PATCH", `budgets/${id}`, body);
const adjust = (org: Spender, id: string, amount_usd: string) =>
  call("POST", `/v1/runs/${id}/adjustments`, { key: org.key, body: { amount_usd, reason: "invoice" } });
const stored = (org: Spender, id: string) =>
  rowsOf(org.id, `SELECT spent, over, held FROM usage WHERE meter_id = '${id}'`);

describe("a budget that counts from the start of its period", () => {
  test("counts what was spent before it was created, and one that counts from its creation does not", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "4" });
    await org.bulk([aRun({ cost_usd: "2", workflow_id: "w" }), aRun({ cost_usd: "0.5", workflow_id: "w" })]);
    await org.advance(60);
    const usual = await newBudget(org, ORG);
    expect(usual).toMatchObject({ count_from: "creation", spent: "0.00" });
    expect(usual).toHaveProperty("counts_since", (await get(org, usual.id)).created_at);
    const whole = await newBudget(org, { ...ORG, ...LATE, limit_usd: "10" });
    expect(whole).toMatchObject({ count_from: "period_start", spent: "6.50", available: "3.50" });
    expect(whole).toHaveProperty("counts_since", (await get(org, whole.id)).period_start);
    const scoped = await newBudget(org, { scope_kind: "workflow", scope_id: "w", ...LATE });
    expect(scoped).toMatchObject({ spent: "2.50" });
    const trail = (await org.send("GET", "audit-log?action=budget.created")).body.data;
    expect(trail).toContainEqual(
      expect.objectContaining({ target: whole.id, detail: expect.objectContaining(LATE) }),
    );
    expect((await org.run({ cost_usd: "3.5" })).status).toBe(201);
    expect((await org.decide("0.01")).status).toBe(402);
  });

  test("counts tokens and runs, each group by itself, and in its own time zone and first day", async () => {
    const org = await newSpender();
    const usage = { input_tokens: 30, output_tokens: 12 };
    await org.run({ model: "gpt-9", user_id: "a", usage, tags: { team: "red" } });
    await org.run({ model: "gpt-9", user_id: "b", tags: { team: "red" } });
    await org.run({ model: "o3", user_id: "a", tags: { team: "blue" } });
    await org.run({ model: "gpt-9" });
    const count = { limit_usd: undefined, limit: 1000 };
    const tokens = { ...count, unit: "tokens", match: { model: "gpt-*", tags: { team: "red" } } };
    expect(await newBudget(org, { ...tokens, ...LATE })).toMatchObject({ spent: 57 });
    const calendar = { timezone: "Asia/Tokyo", anchor_day: 2 };
    const runs = { ...count, unit: "runs", match: {}, group_by: ["user_id"], ...calendar };
    const { id } = await newBudget(org, { ...runs, ...LATE });
    const { data } = (await org.send("GET", `budgets/${id}/groups`)).body;
    const spentBy = data.map((one: { group: string; spent: number }) => [one.group, one.spent]);
    expect(new Map(spentBy)).toEqual(
      new Map([
        ["a", 2],
        ["b", 1],
        [null, 1],
      ]),
    );
  });

  test("counts only the current period, and goes on to count from its start when the period changes", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "3" });
    await org.advance(DAY);
    await org.run({ cost_usd: "1" });
    const { id } = await newBudget(org, { ...ORG, ...LATE, period: "day", limit_usd: "50" });
    expect(await spent(org, id)).toBe("1.00");
    expect((await patch(org, id, { period: "total" })).body.spent).toBe("4.00");
    expect((await get(org, id)).period_start).toBe((await get(org, id)).counts_since);
    expect((await patch(org, id, { period: "year", timezone: "Asia/Tokyo" })).body.spent).toBe("4.00");
    expect((await patch(org, id, { period: "day", timezone: "UTC" })).body.spent).toBe("1.00");
  });

  test("is asked for later, too, and can be given up again", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "4" });
    const before = (await org.decide("2")).body.reservation.id;
    await org.advance(60);
    const { id } = await newBudget(org, { ...ORG, limit_usd: "20" });
    const after = (await org.decide("1")).body.reservation.id;
    await org.run({ cost_usd: "0.5" });
    const dry = await call("PATCH", `/v1/orgs/${org.id}/budgets/${id}`, {
      key: org.key,
      body: LATE,
      headers: { "x-svc-dry-run": "true" },
    });
    expect(dry.body).toMatchObject({ spent: "4.50" });
    expect(await spent(org, id)).toBe("0.50");
    const changed = await patch(org, id, LATE);
    expect(changed.body).toMatchObject({ ...LATE, spent: "4.50", reserved: "1.00" });
    const trail = (await org.send("GET", "audit-log?action=budget.updated")).body.data;
    expect(trail).toMatchObject([{ target: id, detail: LATE }]);
    // What was reserved before it was created is not reserved in it, and its run counts.
    await org.run({ cost_usd: "2", reservation_id: before });
    expect(await get(org, id)).toMatchObject({ spent: "6.50", reserved: "1.00" });
    await org.run({ cost_usd: "1", reservation_id: after });
    expect(await get(org, id)).toMatchObject({ spent: "7.50", reserved: "0.00" });
    expect((await patch(org, id, { count_from: "period_start", name: "n" })).body.spent).toBe("7.50");
    const back = await patch(org, id, { count_from: "creation" });
    expect(back.body).toMatchObject({ count_from: "creation", spent: "1.50" });
    expect((await patch(org, id, LATE)).body.spent).toBe("7.50");
  });

  test("refuses the next call where more was spent than its limit, and keeps what is over it apart", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "8" });
    await org.advance(1);
    const { id } = await newBudget(org, { ...ORG, limit_usd: "10" });
    expect((await org.decide("3")).status).toBe(200);
    const changed = await patch(org, id, LATE);
    expect(changed.body).toMatchObject({ spent: "8.00", reserved: "3.00", available: "0.00" });
    expect(await stored(org, id)).toEqual([{ spent: "7000000000", over: "1000000000", held: "3000000000" }]);
    expect((await org.decide("0.01")).status).toBe(402);
    expect((await org.run({ cost_usd: "0.01" })).status).toBe(402);
  });

  test("keeps what isolates have of it, and takes what they reserved of that", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "63.95" });
    await org.advance(1);
    const { id } = await newBudget(org, { ...ORG, limit_usd: "64" });
    const gate = new OutsideGate(org.key);
    await gate.learn();
    expect(await gate.lease(8 * CENT)).toBe(8 * CENT);
    const changed = await patch(org, id, LATE);
    expect(changed.body).toMatchObject({ spent: "63.95", reserved: "0.08", available: "0.00" });
    expect((await org.decide("0.01")).status).toBe(402);
    const { body } = await gate.report({ lines: [gate.line(CENT)] });
    expect(body.refused).toEqual([]);
    expect(await get(org, id)).toMatchObject({ spent: "63.95", reserved: "0.01", available: "0.04" });
    expect((await org.decide("0.05")).status).toBe(402);
    // The isolate may go by its last refusal for a moment.
    await expect.poll(async () => (await org.decide("0.04")).status).toBe(200);
  });

  test("is in force in isolates that decide by themselves when the call returns", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "990" });
    await org.advance(1);
    const { id } = await newBudget(org, { ...ORG, limit_usd: "1000" });
    lengthenLives(BUSY_MS);
    let isAtEdge = false;
    for (let bursts = 0; !isAtEdge && bursts < 20; bursts += 1) {
      const decided = await Promise.all(Array.from({ length: 20 }, () => org.decide("0.01")));
      isAtEdge = decided.some(({ headers }) => headers.get("x-svc-decided") === "edge");
    }
    expect(isAtEdge).toBe(true);
    expect((await patch(org, id, LATE)).status).toBe(200);
    while ((await org.decide("1")).status === 200) continue;
    const { spent: used, reserved } = await get(org, id);
    expect(used).toBe("990.00");
    expect(Number(used) + Number(reserved)).toBeLessThanOrEqual(1000);
  });

  test("counts runs in the archive", async () => {
    const org = await newArchivist();
    const { spent: early } = await newBudget(org, {
      ...ORG,
      ...LATE,
      period: "total",
      limit_usd: "500",
    }).then(({ id }) => get(org, id));
    expect(early).toBe("0.0014995");
    await org.run({ cost_usd: "1" });
    await archiveEverything(org.id);
    const model = { match: { model: "acme/*" }, period: "total" };
    const { id } = await newBudget(org, model);
    expect(await spent(org, id)).toBe("0.00");
    expect((await patch(org, id, LATE)).body.spent).toBe("1.0014995");
  });

  test("is refused where runs of its period are deleted, and not where only older ones are", async () => {
    const org = await newSpender();
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    await org.run({ cost_usd: "4" });
    const { id } = await newBudget(org, { ...ORG, period: "total" });
    const daily = await newBudget(org, { ...ORG, ...LATE, period: "day" });
    await org.advance(4 * DAY);
    await org.run({ cost_usd: "1" });
    const why = [{ field: "count_from", code: "unavailable" }];
    const refused = [
      await org.send("POST", "budgets", { ...ORG, ...LATE, period: "total", limit_usd: "5" }),
      await patch(org, id, LATE),
      await patch(org, daily.id, { period: "total" }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.details.fields]).toMatchObject([422, why]);
    }
    expect(await get(org, id)).toMatchObject({ count_from: "creation", spent: "1.00" });
    expect(await newBudget(org, { ...ORG, ...LATE, period: "day" })).toMatchObject({ spent: "1.00" });
  });

  test("tells once of each threshold that it is past", async () => {
    const org = await newSpender();
    await org.run({ cost_usd: "6" });
    await org.advance(1);
    const { id } = await newBudget(org, { ...ORG, limit_usd: "10", alert_thresholds: ["0.1", "0.5", "0.9"] });
    await org.run({ cost_usd: "1" });
    const told = async () =>
      (await org.events("budget.threshold_crossed")).map(({ data }) => data["threshold"]);
    expect(await told()).toEqual(["0.1"]);
    await patch(org, id, LATE);
    expect(await told()).toEqual(["0.1", "0.5"]);
    await org.run({ cost_usd: "2" });
    expect(await told()).toEqual(["0.1", "0.5", "0.9"]);
  });
});

describe("what changes a run from before the budget", () => {
  test("an adjustment counts, made before or after it was created, and no longer once that is given up", async () => {
    const org = await newSpender();
    await org.run({ id: "r", cost_usd: "5", workflow_id: "w" });
    await org.run({ id: "other", cost_usd: "5" });
    await adjust(org, "r", "-1");
    await org.advance(1);
    const scope = { scope_kind: "workflow", scope_id: "w", limit_usd: "10" };
    const tokens = { match: {}, unit: "tokens", limit: 1000, limit_usd: undefined };
    const { id } = await newBudget(org, { ...scope, ...LATE });
    const inTokens = await newBudget(org, { ...tokens, ...LATE });
    expect(await spent(org, id)).toBe("4.00");
    const made = await adjust(org, "r", "-0.5");
    expect(made.body.charges).toMatchObject([{ kind: "budget", id, amount_usd: "-0.50" }]);
    expect((await adjust(org, "other", "-2")).body.charges).toEqual([]);
    expect(await spent(org, id)).toBe("3.50");
    // A run that was charged to it is adjusted once.
    await org.run({ id: "own", cost_usd: "0.5", workflow_id: "w" });
    await adjust(org, "own", "-0.5");
    expect(await spent(org, id)).toBe("3.50");
    expect((await patch(org, id, { period: "year" })).body.spent).toBe("3.50");
    expect((await patch(org, inTokens.id, { period: "year" })).body.spent).toBe(45);
    expect((await patch(org, id, { count_from: "creation" })).body.spent).toBe("0.00");
    await adjust(org, "r", "1");
    expect(await spent(org, id)).toBe("0.00");
    expect((await patch(org, id, LATE)).body.spent).toBe("4.50");
  });

  test.each(["before", "after"])(
    "an estimate that was made %s it was created counts, until its run takes its place",
    async (when) => {
      const org = await newSpender();
      const ask = { ...CHARGED, estimate: { cost_usd: "3", input_tokens: 7, max_output_tokens: 5 } };
      const held = (await org.decide("3", ask)).body.reservation.id;
      await org.advance(when === "before" ? HELD_SECONDS + 1 : 1);
      const dollars = await newBudget(org, { ...ORG, ...LATE, limit_usd: "20" });
      const tokens = { match: {}, group_by: ["model"], unit: "tokens", limit: 1000, limit_usd: undefined };
      const inTokens = await newBudget(org, { ...tokens, ...LATE });
      await org.advance(HELD_SECONDS + 1);
      const groups = async () => (await org.send("GET", `budgets/${inTokens.id}/groups`)).body.data;
      expect(await spent(org, dollars.id)).toBe("3.00");
      expect(await groups()).toMatchObject([{ group: "unknown", spent: 12 }]);
      await org.run({ reservation_id: held, cost_usd: "2" });
      expect(await spent(org, dollars.id)).toBe("2.00");
      expect(await groups()).toMatchObject([
        { group: "acme/m1", spent: 15 },
        { group: "unknown", spent: 0 },
      ]);
      expect((await patch(org, dollars.id, { period: "year" })).body.spent).toBe("2.00");
      await patch(org, inTokens.id, { period: "year" });
      expect(await groups()).toMatchObject([{ group: "acme/m1", spent: 15 }]);
    },
  );
});
