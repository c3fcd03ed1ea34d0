import { expect, test } from "vitest";
import { runBatch } from "../../src/contract/resources/runs/runs.ts";
import { agentRuns, CHAIN_BUDGET, refusedAt, TO_APPROVE } from "../../scripts/northwind/asks.ts";
import { CUSTOMERS, MODELS } from "../../scripts/northwind/company.ts";
import { agreedInTheEnd, agreedLimits, billedBudgets } from "../../scripts/northwind/limits.ts";
import { type Deed, timeline } from "../../scripts/northwind/timeline.ts";
import { DAY_MS, DAYS, dollarsOf, type MadeRun, northwindRuns } from "../../scripts/northwind/runs.ts";

const NOON = Date.parse("2026-11-16T12:00:00Z");
const runs = northwindRuns(NOON);

const daysAgo = ({ body }: MadeRun) =>
  Math.floor(NOON / DAY_MS) - Math.floor(Date.parse(body.started_at) / DAY_MS);
const weekday = ({ body }: MadeRun) => new Date(body.started_at).getUTCDay();
const valuesOf = (name: keyof MadeRun["body"]) => new Set(runs.map(({ body }) => body[name]));

test("every Northwind of a moment is the same, and no run is of the future", () => {
  expect(northwindRuns(NOON)).toEqual(runs);
  expect(new Set(runs.map(({ body }) => body.id)).size).toBe(runs.length);
  expect(runs.filter(({ body }) => Date.parse(body.ended_at) > NOON)).toEqual([]);
  for (let from = 0; from < runs.length; from += 1000) {
    runBatch.parse({ runs: runs.slice(from, from + 1000).map(({ body }) => body) });
  }
});

test("a week later it has the same shape on other dates", () => {
  const later = northwindRuns(NOON + 7 * DAY_MS);
  const moved = later.map(({ body }) => ({
    ...body,
    started_at: new Date(Date.parse(body.started_at) - 7 * DAY_MS).toISOString(),
    ended_at: new Date(Date.parse(body.ended_at) - 7 * DAY_MS).toISOString(),
  }));
  expect(moved).toEqual(runs.map(({ body }) => body));
});

test("it has runs on each of 60 days, and far more on weekdays than on weekends", () => {
  expect(new Set(runs.map(daysAgo)).size).toBe(DAYS + 1);
  const whole = runs.filter((run) => daysAgo(run) > 0);
  const weekend = whole.filter((run) => [0, 6].includes(weekday(run)));
  expect((whole.length - weekend.length) / 5).toBeGreaterThan((4 * weekend.length) / 2);
  expect(runs.length).toBeGreaterThan(3000);
});

test("it has several customers, departments, workflows, models and users", () => {
  for (const name of ["customer_id", "department_id", "workflow_id", "model", "user_id"] as const) {
    expect([name, valuesOf(name).size]).toEqual([name, expect.toSatisfy((size: number) => size >= 3)]);
  }
  expect(new Set(runs.map(({ body }) => body.tags["feature"])).size).toBeGreaterThan(3);
  expect(valuesOf("outcome")).toEqual(new Set(["completed", "failed", "cancelled"]));
});

test("some budgets are near their limit, and one is over it, on any day of the month", () => {
  for (let day = 0; day < 31; day += 5) {
    const now = NOON + day * DAY_MS;
    const made = northwindRuns(now).filter(({ stage }) => stage !== "earlier");
    const used = billedBudgets(northwindRuns(now)).flatMap((budget) => {
      const { scope_kind, scope_id = "", limit_usd } = budget;
      if (scope_kind !== "workflow" && scope_kind !== "department") return [];
      return [dollarsOf(made, { [`${scope_kind}_id`]: scope_id }) / Number(limit_usd)];
    });
    expect(used.some((share) => share > 0.9 && share < 1)).toBe(true);
    expect(used.some((share) => share > 1)).toBe(true);
  }
});

test("its budgets are of calendar months, and count what was spent since the first", () => {
  expect(billedBudgets(runs).filter((budget) => "anchor_day" in budget)).toEqual([]);
  for (const { stage, body } of runs) {
    const isOfMonth = body.started_at.startsWith("2026-11");
    expect([body.started_at, stage !== "earlier"]).toEqual([body.started_at, isOfMonth]);
  }
});

test("its limits are above nothing in the first minute of a month, too", () => {
  const first = northwindRuns(Date.parse("2026-12-01T00:00:30Z"));
  for (const budget of billedBudgets(first)) {
    const { limit_usd = "1", limit = 1 } = budget;
    expect([budget, Number(limit_usd) > 0 && limit > 0]).toEqual([budget, true]);
  }
});

test("some calls read a cache, some are made in batches, and one customer grows in one week", () => {
  const cached = runs.filter(({ body }) => "cache_read_tokens" in body.usage);
  const batched = runs.filter(({ body }) => body.variant === "batch");
  expect([cached.length > 300, batched.length > 100]).toEqual([true, true]);
  const globex = (from: number, to: number) =>
    dollarsOf(
      runs.filter((run) => daysAgo(run) >= from && daysAgo(run) <= to),
      { customer_id: "globex" },
    );
  expect(globex(8, 14)).toBeGreaterThan(4 * globex(15, 21));
});

test("budgets count calendar months, and every customer pays something", () => {
  for (const budget of billedBudgets(runs)) {
    expect(budget).toMatchObject({ period: "month" });
    expect(budget).not.toHaveProperty("anchor_day");
  }
  expect(CUSTOMERS.every(({ revenue }) => Object.keys(revenue).length === 1)).toBe(true);
});

test("the agent's chain costs more than chains may, within the depth that they may have", () => {
  const chain = runBatch.parse({ runs: agentRuns(NOON) }).runs;
  const cost = chain.reduce((sum, { usage, model }) => {
    const { input = 0, output = 0 } = MODELS[model] ?? {};
    return sum + (usage.input_tokens * input + usage.output_tokens * output) / 1e6;
  }, 0);
  expect(cost + 0.6).toBeGreaterThan(Number(CHAIN_BUDGET.max_cost_usd));
  expect(chain.length).toBeLessThan(CHAIN_BUDGET.max_depth);
});

/** Noon of two months of days, and the first minute of a month. */
const TIMES = [
  ...Array.from({ length: 62 }, (_, day) => NOON + day * DAY_MS),
  Date.parse("2026-12-01T00:00:30Z"),
];

test("its timeline begins 60 days ago and goes in order to now, on any day", () => {
  for (const nowMs of TIMES) {
    const moments = timeline(nowMs);
    const times = moments.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(moments[0]).toEqual({ atMs: expect.any(Number), deed: "open" });
    expect(Math.floor((nowMs - (times[0] ?? 0)) / DAY_MS)).toBeGreaterThanOrEqual(DAYS - 1);
    expect(moments.at(-1)).toEqual({ atMs: nowMs, deed: "close-in" });
  }
});

test("what it does in one moment has its reason in an earlier one", () => {
  const before: [Deed, Deed][] = [
    ["begin-trial", "end-trial"],
    ["run-out", "agree-on-more"],
    ["agree-on-more", "exceed-budget"],
    ["ask-approval", "decide-approval"],
    ["plan-month", "exceed-budget"],
    ["plan-month", "close-in"],
    ["subscribe", "close-in"],
  ];
  for (const nowMs of TIMES) {
    const deeds = timeline(nowMs).map(({ deed }) => deed);
    for (const [one, other] of before) {
      expect([
        nowMs,
        one,
        other,
        deeds.indexOf(one) >= 0 && deeds.indexOf(one) < deeds.indexOf(other),
      ]).toEqual([nowMs, one, other, true]);
    }
    const asked = deeds.filter((deed) => deed === "ask-approval").length;
    const decided = deeds.filter((deed) => deed === "decide-approval").length;
    expect([asked, decided]).toEqual([
      TO_APPROVE.length,
      TO_APPROVE.filter(({ verdict }) => verdict !== null).length,
    ]);
    expect(deeds.lastIndexOf("decide-approval")).toBeLessThan(deeds.lastIndexOf("ask-approval"));
  }
});

test("on many of its days something is refused, for different reasons and to every service", () => {
  for (const nowMs of TIMES) {
    const refusals = timeline(nowMs).filter(({ deed }) => deed === "refuse");
    expect(new Set(refusals.map(({ atMs }) => Math.floor(atMs / DAY_MS))).size).toBeGreaterThan(12);
    const refused = refusals.map((_, nth) => refusedAt(nth));
    expect(new Set(refused.map(({ key }) => key)).size).toBe(3);
    expect(
      new Set(refused.flatMap(({ asks }) => asks.map((ask) => (ask as { model: string }).model))).size,
    ).toBe(4);
  }
});

test("what is agreed with the largest customer runs out in its unusual week, and is enough in the end", () => {
  for (const nowMs of TIMES.slice(0, 7)) {
    const made = northwindRuns(nowMs);
    const out = timeline(nowMs).find(({ deed }) => deed === "run-out")?.atMs ?? 0;
    const [globex] = agreedLimits(made, out) as { customer_id: string; limit_usd: string }[];
    const spent = (untilMs: number) =>
      dollarsOf(
        made.filter(({ body }) => Date.parse(body.ended_at) <= untilMs),
        { customer_id: globex?.customer_id ?? "" },
      );
    const ago = (nowMs - out) / DAY_MS;
    expect(ago > 7 && ago < 14).toBe(true);
    expect(spent(out)).toBeGreaterThan(Number(globex?.limit_usd));
    expect(spent(out - 4 * DAY_MS)).toBeLessThan(Number(globex?.limit_usd));
    expect(spent(nowMs)).toBeLessThan(Number(agreedInTheEnd(made)));
  }
});
