import { beforeAll, describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call, newOrg } from "../support/worker.ts";

const DAY_MS = 86_400_000;
const day = (ahead: number) => new Date(Date.now() + ahead * DAY_MS).toISOString().slice(0, 10);

/** One run a day for the last `days` days, two dollars each; every other day in a second department. */
async function spend(org: Spender, days: number): Promise<void> {
  const runs = Array.from({ length: days }, (_, index) => ({
    started_at: `${day(index - days)}T12:00:00Z`,
    model: "acme/m1",
    usage: { input_tokens: 100, output_tokens: 50 },
    cost_usd: "2",
    workflow_id: "demo",
    deployment_id: "prod",
    department_id: index % 2 === 0 ? "sales" : "support",
  }));
  const sent = await org.bulk(runs);
  expect(sent.body).toMatchObject({ accepted: days, rejected: 0 });
}

describe("GET /v1/capacity/forecasts", () => {
  let org: Spender;
  let budgetId: string;
  const get = (query: string) => call("GET", `/v1/capacity/forecasts${query}`, { key: org.key });
  beforeAll(async () => {
    org = await newSpender();
    const made = await org.send("POST", "budgets", {
      scope_kind: "workflow",
      scope_id: "demo",
      limit_usd: "10",
      period: "total",
      mode: "shadow",
    });
    budgetId = made.body.id;
    await spend(org, 20);
  });

  test("gives three scenarios of thirty days from tomorrow, as amounts", async () => {
    const { status, body } = await get("");
    expect(status).toBe(200);
    expect(body.data.map((one: { scenario: string }) => one.scenario)).toEqual([
      "baseline",
      "growth",
      "constrained",
    ]);
    const [baseline] = body.data;
    expect(baseline).toMatchObject({ metric: "usd", trained_on_days: 20 });
    expect(baseline.points).toHaveLength(30);
    expect(baseline.points[0]).toEqual({ date: day(1), p10: "2.00", p50: "2.00", p90: "2.00" });
    expect(baseline.diminishing_returns.curve[0]).toEqual({ capacity: 1, total: "60.00", marginal: 1 });
  });

  test("takes metric, horizon, scenario and scope", async () => {
    const { body } = await get(
      "?metric=tokens&horizon_days=7&scenario=growth&growth_rate=1&scope_kind=workflow&scope_id=demo",
    );
    expect(body.data).toHaveLength(1);
    expect(body.data[0].points).toHaveLength(7);
    expect(body.data[0].points[6].p50).toBeGreaterThan(150);
    expect(body.data[0].exhaustion).toEqual([
      { budget_id: budgetId, p50_date: expect.any(String), p90_date: expect.any(String) },
    ]);
  });

  test("names the day of a budget that matches calls, from the days of what it matches", async () => {
    const budgeted = await newSpender();
    const budget = async (fields: object) => {
      const body = { limit_usd: "70", period: "total", mode: "shadow", ...fields };
      return (await budgeted.send("POST", "budgets", body)).body.id as string;
    };
    const ids = {
      scope: await budget({ scope_kind: "workflow", scope_id: "demo" }),
      same: await budget({ match: { workflow_id: ["demo", "other"] } }),
      model: await budget({ match: { model: "acme/*" } }),
      every: await budget({ match: {} }),
      none: await budget({ match: { workflow_id: "other" } }),
      half: await budget({ match: { department_id: "sales", workflow_id: "demo" } }),
      tokens: await budget({ match: {}, unit: "tokens", limit_usd: undefined, limit: 5 }),
      each: await budget({ match: {}, group_by: ["department_id"] }),
    };
    // Three dollars a day, one of them for sales.
    let now = 0;
    for (let count = 0; count < 20; count += 1) {
      now = await budgeted.advance(86_400);
      const run = { started_at: new Date(now).toISOString(), workflow_id: "demo" };
      await budgeted.run({ ...run, department_id: "sales" });
      await budgeted.run({ ...run, department_id: "support", cost_usd: "2" });
    }
    await budgeted.advance(86_400);
    const ahead = (days: number) => new Date(now + (days + 1) * DAY_MS).toISOString().slice(0, 10);
    const forecast = await call("GET", "/v1/capacity/forecasts?scenario=baseline&horizon_days=60", {
      key: budgeted.key,
    });
    const found = forecast.body.data[0].exhaustion as { budget_id: string; p50_date: string | null }[];
    const dateOf = (id: string) => found.find(({ budget_id }) => budget_id === id)?.p50_date;
    const { scope, same, model, every, none, half, tokens, each } = ids;
    // Of 70 dollars, 60 are spent; of those for sales 20, and 40 of those for support.
    const soon = String(dateOf(scope));
    expect([soon >= ahead(3), soon <= ahead(6)]).toEqual([true, true]);
    expect([same, model, every].map(dateOf)).toEqual([soon, soon, soon]);
    expect([dateOf(none), dateOf(tokens)]).toEqual([null, undefined]);
    const [later, fullest] = [String(dateOf(half)), String(dateOf(each))];
    expect([later >= ahead(45), later <= ahead(56)]).toEqual([true, true]);
    expect([fullest >= ahead(13), fullest <= ahead(18)]).toEqual([true, true]);
    const listed = await budgeted.send("GET", "limits?forecast=true&limit=20");
    const limits = listed.body.data as { id: string; forecast: { p50_date: string } | null }[];
    const ofLimit = (id: string) =>
      limits.filter((one) => one.id === id).map((one) => one.forecast?.p50_date);
    expect([ofLimit(scope), ofLimit(same), ofLimit(every)]).toEqual([[soon], [soon], [soon]]);
    // Sales goes on for 50 days, which is more than the list looks ahead.
    expect(ofLimit(each)).toEqual([fullest, null]);
  });

  test("names the day of every budget, however many there are", async () => {
    const rich = await newSpender();
    await spend(rich, 20);
    const made: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      const scope =
        index % 3 === 0 ? { scope_kind: "org" } : { scope_kind: "workflow", scope_id: `w${index % 40}` };
      const limits = { limit_usd: "10", period: "total", mode: "enforce" };
      made.push((await rich.send("POST", "budgets", { ...scope, ...limits })).body.id);
    }
    const last = {
      scope_kind: "workflow",
      scope_id: "demo",
      limit_usd: "60",
      period: "total",
      mode: "shadow",
    };
    const demo: string = (await rich.send("POST", "budgets", last)).body.id;
    const read = async (query: string) =>
      (await call("GET", `/v1/capacity/forecasts?scenario=baseline${query}`, { key: rich.key })).body.data[0];
    const whole = await read("");
    expect(whole.exhaustion.map((one: { budget_id: string }) => one.budget_id)).toEqual(
      [...made, demo].sort(),
    );
    const found = whole.exhaustion.filter((one: { p50_date: string | null }) => one.p50_date !== null);
    expect(found.map((one: { budget_id: string }) => one.budget_id)).toEqual(
      [...made.filter((_, index) => index % 3 === 0), demo].sort(),
    );
    const narrow = await read("&scope_kind=workflow&scope_id=demo");
    expect(narrow.exhaustion.map((one: { budget_id: string }) => one.budget_id)).toEqual([demo]);
  });

  test("refuses invalid parameters by name", async () => {
    const wrong = {
      "?metric=cents": "metric",
      "?horizon_days=6": "horizon_days",
      "?horizon_days=181": "horizon_days",
      "?scenario=boom": "scenario",
      "?growth_rate=-1": "growth_rate",
      "?growth_rate=11": "growth_rate",
      "?scope_kind=workflow": "scope_id",
      "?scope_id=demo": "scope_id",
      "?colour=red": "colour",
    };
    for (const [query, field] of Object.entries(wrong)) {
      const refused = await get(query);
      expect([query, refused.status]).toEqual([query, 422]);
      expect(refused.body.error.details.fields[0].field).toBe(field);
    }
  });

  test("with less than 14 days of history is 422", async () => {
    const young = await newSpender();
    await spend(young, 13);
    const refused = await call("GET", "/v1/capacity/forecasts", { key: young.key });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields[0]).toMatchObject({ field: "history", code: "out_of_range" });
  });

  test("requires the forecasts scope, and serves no other org", async () => {
    const other = await newOrg();
    const key = await other.mint("viewer", { scopes: ["org:read"] });
    const refused = await call("GET", "/v1/capacity/forecasts", { key });
    expect(refused.body.error).toMatchObject({
      code: "missing_scope",
      details: { required: "forecasts:read" },
    });
  });
});

describe("GET /v1/forecast", () => {
  test("is linear in teams, over what one team returned in 30 days", async () => {
    const org = await newSpender();
    await spend(org, 20);
    const get = async (teams: number) =>
      (await call("GET", `/v1/forecast?deployment_id=prod&teams=${teams}`, { key: org.key })).body;
    expect(await get(1)).toEqual({
      deployment_id: "prod",
      teams: 1,
      projected_return_usd: "20.00",
      method: "linear",
    });
    expect((await get(7)).projected_return_usd).toBe("140.00");
  });

  test("of a deployment without runs is zero, and has deprecation headers", async () => {
    const org = await newOrg();
    const answer = await call("GET", "/v1/forecast?deployment_id=none&teams=3", { key: org.ownerKey });
    expect(answer.body.projected_return_usd).toBe("0.00");
    expect(answer.headers.get("deprecation")).toBe("@1784678400");
    expect(answer.headers.get("sunset")).toBe("Wed, 31 Dec 2036 23:59:59 GMT");
  });

  test("requires both parameters, and a whole number of teams", async () => {
    const org = await newOrg();
    for (const query of [
      "",
      "?deployment_id=prod",
      "?deployment_id=prod&teams=0",
      "?deployment_id=prod&teams=1.5",
    ]) {
      expect((await call("GET", `/v1/forecast${query}`, { key: org.ownerKey })).status).toBe(422);
    }
  });
});
