import { describe, expect, test } from "vitest";
import type { Budget } from "../../src/contract/resources/budgets/budgets.ts";
import { BUDGET_SCOPES, underEachField } from "../../src/contract/scopes.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const DAY = 86_400;

describe("a budget", () => {
  test.each(BUDGET_SCOPES)(
    "of scope %s refuses what would exceed it, with its own details, and nothing outside its scope",
    async (scope) => {
      const [ids, inside] = scope === "org" ? [{}, {}] : [{ scope_id: "s" }, { [`${scope}_id`]: "s" }];
      const org = await newSpender();
      const made = await org.send("POST", "budgets", {
        scope_kind: scope,
        ...ids,
        limit_usd: "2",
        period: "month",
      });
      expect(made.status).toBe(201);
      expect((await org.run(inside)).status).toBe(201);
      expect((await org.run(inside)).status).toBe(201);
      const refused = await org.run({ ...inside, cost_usd: "0.000000001" });
      expect(refused.status).toBe(402);
      expect(refused.body.error).toMatchObject({
        code: "budget_exceeded",
        details: {
          budget_id: made.body.id,
          scope_kind: scope,
          limit_usd: "2.00",
          spent_usd: "2.00",
          period_start: made.body.period_start,
          period_end: made.body.period_end,
        },
      });
      expect((await org.run({ ...inside, cost_usd: "0" })).status).toBe(201);
      const outside = await org.run(underEachField("o"));
      expect(outside.status).toBe(scope === "org" ? 402 : 201);
      const denied = await org.decide("1", inside);
      expect([denied.status, denied.body.error.code]).toEqual([402, "budget_exceeded"]);
      expect(await org.events("budget.exceeded")).toHaveLength(1);
    },
  );

  test("refuses at the org before the department, the workflow and the deployment", async () => {
    const org = await newSpender();
    const scopes = ["deployment", "workflow", "department", "org"];
    for (const scope_kind of scopes) {
      const scope_id = scope_kind === "org" ? undefined : "s";
      await org.send("POST", "budgets", { scope_kind, scope_id, limit_usd: "0", period: "total" });
    }
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      const refused = await org.decide("1", { workflow_id: "s", deployment_id: "s", department_id: "s" });
      seen.push(refused.body.error.details.scope_kind);
      await org.send("DELETE", `budgets/${refused.body.error.details.budget_id}`);
    }
    expect(seen).toEqual(["org", "department", "workflow", "deployment"]);
  });

  test("resets with its period", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "day" });
    expect([(await org.run()).status, (await org.run()).status]).toEqual([201, 402]);
    await org.advance(DAY);
    expect([(await org.run()).status, (await org.run()).status]).toEqual([201, 402]);
    expect(await org.events("budget.exceeded")).toHaveLength(2);
  });

  test("announces equal thresholds once", async () => {
    const org = await newSpender();
    const alert_thresholds = ["0.5", "0.50", "0.5"];
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "4", period: "day", alert_thresholds });
    await org.run({ cost_usd: "2" });
    const crossed = await org.events("budget.threshold_crossed");
    expect(crossed.map(({ data }) => data["threshold"])).toEqual(["0.5"]);
  });

  test("announces each threshold once per period", async () => {
    const org = await newSpender();
    const alert_thresholds = ["0.5", "1"];
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "4", period: "day", alert_thresholds });
    for (let i = 0; i < 4; i++) await org.run();
    const crossed = await org.events("budget.threshold_crossed");
    expect(crossed.map(({ data }) => [data["threshold"], data["spent_usd"]])).toEqual([
      ["0.5", "2.00"],
      ["1", "4.00"],
    ]);
  });

  test("in shadow mode announces the first run of a period that it would have refused", async () => {
    const org = await newSpender();
    const shadow = { scope_kind: "org", limit_usd: "1.50", period: "day", mode: "shadow" };
    const { id } = (await org.send("POST", "budgets", shadow)).body;
    await org.run();
    expect(await org.events("budget.exceeded")).toEqual([]);
    expect((await org.bulk([aRun(), aRun()])).body).toMatchObject({ accepted: 2 });
    expect((await org.run()).status).toBe(201);
    const details = { budget_id: id, limit_usd: "1.50", spent_usd: "1.00", mode: "shadow" };
    expect(await org.events("budget.exceeded")).toMatchObject([{ data: details }]);
    await org.advance(86_400);
    await org.run({ cost_usd: "2" });
    expect(await org.events("budget.exceeded")).toHaveLength(2);
  });

  test("in shadow mode refuses nothing and reports what it would have refused", async () => {
    const org = await newSpender();
    const made = await org.send("POST", "budgets", {
      scope_kind: "org",
      limit_usd: "1",
      period: "month",
      mode: "shadow",
    });
    await org.run();
    const passed = await org.run();
    expect(passed.status).toBe(201);
    expect(passed.body.shadow).toMatchObject([{ status: 402, code: "budget_exceeded" }]);
    const decided = await org.decide("1");
    expect(decided.body.shadow).toMatchObject([{ code: "budget_exceeded" }]);
    const events = await org.events("budget.exceeded");
    expect(events.map(({ data }) => data["mode"])).toEqual(["shadow"]);
    const read = await org.send("GET", `budgets/${made.body.id}`);
    expect(read.body).toMatchObject({ spent_usd: "2.00", available_usd: "0.00" });
  });

  test("allows calls when raised, refuses the next call when lowered below what is spent, and can be deleted", async () => {
    const org = await newSpender();
    const made = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "month" });
    const path = `budgets/${made.body.id}`;
    expect([(await org.run()).status, (await org.run()).status]).toEqual([201, 402]);
    await org.send("PATCH", path, { limit_usd: "2" });
    expect([(await org.run()).status, (await org.run()).status]).toEqual([201, 402]);
    const lowered = await org.send("PATCH", path, { limit_usd: "0.5" });
    expect(lowered.body).toMatchObject({ spent_usd: "2.00", available_usd: "0.00", status: "exhausted" });
    expect((await org.run()).status).toBe(402);
    expect((await org.send("DELETE", path)).status).toBe(204);
    expect((await org.run()).status).toBe(201);
    expect((await org.send("GET", path)).status).toBe(404);
  });

  test("counts what was charged in its new period when the period changes, including reservations", async () => {
    const org = await newSpender();
    const made = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "9", period: "day" });
    const path = `budgets/${made.body.id}`;
    await org.run();
    await org.advance(7 * DAY);
    await org.run();
    const held = await org.decide("2");
    expect((await org.send("GET", path)).body).toMatchObject({ spent_usd: "1.00", reserved_usd: "2.00" });
    const total = await org.send("PATCH", path, { period: "total" });
    expect(total.body).toMatchObject({ spent_usd: "2.00", reserved_usd: "2.00", period_end: null });
    const week = await org.send("PATCH", path, { period: "week" });
    expect(week.body).toMatchObject({ spent_usd: "1.00", reserved_usd: "2.00" });
    await org.run({ reservation_id: held.body.reservation.id, cost_usd: "2" });
    expect((await org.send("GET", path)).body).toMatchObject({ spent_usd: "3.00", reserved_usd: "0.00" });
  });

  test.each([{ match: {}, group_by: ["user_id"] }, { scope_kind: "org" }])(
    "of %j is changed by whoever has read it, however much was spent since, and once",
    async (what) => {
      const org = await newSpender();
      const made = await org.send("POST", "budgets", { ...what, limit_usd: "9", period: "month" });
      const path = `/v1/orgs/${org.id}/budgets/${made.body.id}`;
      const { headers } = await call("GET", path, { key: org.key });
      const etag = { "if-match": headers.get("etag") ?? "" };
      const run = { ...aRun({ user_id: "u", cost_usd: "1" }), started_at: new Date().toISOString() };
      expect((await org.run(run)).status).toBe(201);
      const change = (limit_usd: string) =>
        call("PATCH", path, { key: org.key, body: { limit_usd }, headers: etag });
      expect([(await change("8")).status, (await change("7")).status]).toEqual([200, 409]);
    },
  );

  test("is listed and filtered", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1", period: "day", name: "a" });
    await org.send("POST", "budgets", {
      scope_kind: "workflow",
      scope_id: "w",
      limit_usd: "1",
      period: "day",
    });
    expect((await org.send("GET", "budgets")).body.data).toHaveLength(2);
    const workflows = await org.send("GET", "budgets?scope_kind=workflow");
    expect(workflows.body.data).toMatchObject([{ scope_id: "w" }]);
    expect((await org.send("GET", "budgets?sort=nope")).status).toBe(422);
  });

  test("is found by a part of its name, or of what it applies to", async () => {
    const org = await newSpender();
    const terms = { limit_usd: "1", period: "day" };
    const support = { scope_kind: "workflow", scope_id: "triage-7" };
    for (const budget of [
      { ...support, name: "Triage" },
      { ...support, name: "Triage by night" },
      { ...support, name: "Support triage" },
      { ...support, name: "100% Ökostrom" },
      { scope_kind: "org" },
      { scope_kind: "workflow", scope_id: "Triage-8" },
      { match: {} },
      { match: { model: ["acme/m1", "triage"], customer_id: "c" }, group_by: ["customer_id"] },
    ]) {
      expect((await org.send("POST", "budgets", { ...terms, ...budget })).status).toBe(201);
    }
    const found = async (contains: string, more = "") => {
      const { body } = await org.send("GET", `budgets?${new URLSearchParams({ contains })}${more}`);
      expect(body.next_cursor).toBeNull();
      return body.data.map((one: Budget) => one.name ?? one.scope_id ?? one.match ?? one.scope_kind);
    };
    const matched = { model: ["acme/m1", "triage"], customer_id: "c" };
    const all = ["Triage", "Triage by night", matched, "Triage-8", "Support triage"];
    expect(await found("triage")).toEqual(all);
    expect(await found("TRIAGE", "&limit=2")).toEqual(all.slice(0, 2));
    expect(await found("triage", "&scope_kind=match")).toEqual([matched]);
    expect(await found("model acme/m1 or triage and customer c")).toEqual([matched]);
    expect(await found("workflow t")).toEqual(["Triage-8"]);
    expect(await found("whole org")).toEqual(["org"]);
    expect(await found("every call")).toEqual([{}]);
    expect(await found("% ök")).toEqual(["100% Ökostrom"]);
    for (const none of ["triage-7", "_", "{", "customer_id"]) expect(await found(none)).toEqual([]);
    await org.send("POST", "budgets", { ...terms, match: { model: "kept", tags: { model: "tagged" } } });
    expect([await found("model kept"), await found("model tagged")].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
    const { next_cursor } = (await org.send("GET", "budgets?limit=1")).body;
    const mixed = await org.send("GET", `budgets?limit=1&contains=a&cursor=${next_cursor}`);
    expect(mixed.status).toBe(422);
    for (const bad of ["", "x".repeat(129)]) {
      expect((await org.send("GET", `budgets?contains=${bad}`)).status).toBe(422);
    }
  });
});

test.each([
  ["limit_usd", "-1"],
  ["limit_usd", "1e3"],
  ["limit_usd", "+1"],
  ["limit_usd", " 1"],
  ["limit_usd", "1.0000000001"],
  ["limit_usd", 5],
  ["limit_usd", "12345678901234567890"],
  ["period", "fortnight"],
  ["mode", "maybe"],
  ["alert_thresholds[0]", ["0"]],
  ["scope_id", "s"],
  ["surprise", 1],
])("a budget with a bad %s (%j) is refused, and nothing changes", async (field, value) => {
  const org = await newSpender();
  const body = { scope_kind: "org", limit_usd: "1", period: "day", [field.replace("[0]", "")]: value };
  const refused = await org.send("POST", "budgets", body);
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.fields.map((one: { field: string }) => one.field)).toContain(field);
  expect((await org.send("GET", "budgets")).body.data).toEqual([]);
});

const SCOPES = ["department", "workflow", "deployment"] as const;

test.each(SCOPES)("a budget of the %s named * is one counter, whoever the customer is", async (scope) => {
  const org = await newSpender();
  const named = { [`${scope}_id`]: "*", customer_id: "c" };
  const made = await org.send("POST", "budgets", {
    scope_kind: scope,
    scope_id: "*",
    limit_usd: "10",
    period: "month",
  });
  const path = `budgets/${made.body.id}`;
  const held = await org.decide("4", named);
  expect((await org.send("GET", path)).body.reserved_usd).toBe("4.00");
  expect((await org.release(held.body.reservation.id)).status).toBe(204);
  expect((await org.send("GET", path)).body).toMatchObject({ spent_usd: "0.00", reserved_usd: "0.00" });

  expect((await org.run({ ...named, cost_usd: "6" })).status).toBe(201);
  await org.decide("4", named);
  const changed = await org.send("PATCH", path, { period: "quarter" });
  expect(changed.body).toMatchObject({ spent_usd: "6.00", reserved_usd: "4.00", available_usd: "0.00" });
  expect((await org.run({ ...named, customer_id: "d" })).status).toBe(402);
});
