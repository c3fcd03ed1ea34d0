import { describe, expect, test } from "vitest";
import { TRACE_HEADER } from "../../src/contract/headers.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { detailsOf, newBudget } from "../support/new-budget.ts";
import { call } from "../support/worker.ts";

describe("a budget that matches calls", () => {
  test("refuses the calls that have all its parts, and no others, alone, in a batch and as a decision", async () => {
    const org = await newSpender();
    const match = { model: ["gpt-*", "o3"], user_id: "u-1", tags: { team: ["red", "blue"] } };
    const { id } = await newBudget(org, { match });
    const own = { model: "gpt-9", user_id: "u-1", tags: { team: "red", other: "x" } };
    const others = [
      { ...own, model: "gp" },
      { ...own, model: "o3x" },
      { ...own, user_id: "u-2" },
      { ...own, user_id: undefined },
      { ...own, tags: { team: "green" } },
      { ...own, tags: {} },
      { ...own, tags: undefined },
    ];
    for (const fields of others) expect((await org.run({ ...fields, cost_usd: "6" })).status).toBe(201);
    expect((await org.run({ ...own, model: "o3", cost_usd: "4" })).status).toBe(201);
    const refused = await org.run({ ...own, cost_usd: "2" });
    expect(refused.status).toBe(402);
    expect(detailsOf(refused)).toMatchObject({
      budget_id: id,
      scope_kind: "match",
      limit_usd: "5.00",
      spent_usd: "4.00",
    });
    const batch = await org.bulk([aRun({ ...own, cost_usd: "1" }), aRun({ ...own, cost_usd: "1" })]);
    expect(batch.body.results.map((one: { status: string }) => one.status)).toEqual(["accepted", "rejected"]);
    const decided = await org.decide("0.01", own);
    expect([decided.status, detailsOf(decided)["budget_id"]]).toEqual([402, id]);
    expect((await org.decide("0.01", { ...own, user_id: "u-2" })).status).toBe(200);
    const dry = await org.decide("0.01", { ...own, dry_run: true });
    expect(dry.body.would_deny).toMatchObject({ code: "budget_exceeded", details: { budget_id: id } });
    const shown = await org.send("GET", `budgets/${id}`);
    expect(shown.body).toMatchObject({
      scope_kind: "match",
      scope_id: null,
      match,
      group_by: [],
      unit: "usd",
      limit: "5.00",
      spent: "5.00",
      spent_usd: "5.00",
      status: "exhausted",
    });
  });

  test("matches the key that makes the call, and what a run and its decision say of the provider", async () => {
    const org = await newSpender();
    const minted = await org.send("POST", "keys", { name: "other", role: "developer" });
    const { key, id: keyId } = minted.body as { key: string; id: string };
    await newBudget(org, { match: { key_id: keyId, provider: "acme" }, limit_usd: "1" });
    const body = { estimate: { cost_usd: "2" }, provider: "acme" };
    expect((await call("POST", "/v1/edge/decision", { key, body })).status).toBe(402);
    expect((await call("POST", "/v1/edge/decision", { key: org.key, body })).status).toBe(200);
    expect((await call("POST", "/v1/edge/decision", { key, body: { ...body, provider: "x" } })).status).toBe(
      200,
    );
    const run = { key, body: aRun({ provider: "acme", cost_usd: "2" }) };
    expect((await call("POST", "/v1/runs", run)).status).toBe(402);
    expect((await org.run({ provider: "acme", cost_usd: "2" })).status).toBe(201);
  });

  test("counts each value of a group apart, and those without one together", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, { match: {}, group_by: ["user_id", "tag:team"], limit_usd: "2" });
    const alice = { user_id: "alice", tags: { team: "red" } };
    expect((await org.run({ ...alice, cost_usd: "2" })).status).toBe(201);
    const refused = await org.run({ ...alice, cost_usd: "1" });
    expect(detailsOf(refused)).toMatchObject({
      budget_id: id,
      scope_kind: "match",
      group: "alice, red",
      group_values: { user_id: "alice", "tag:team": "red" },
    });
    expect((await org.run({ user_id: "alice", cost_usd: "2" })).status).toBe(201);
    expect((await org.run({ user_id: "bob", tags: { team: "red" }, cost_usd: "2" })).status).toBe(201);
    expect((await org.run({ cost_usd: "1.5" })).status).toBe(201);
    expect(detailsOf(await org.run({ cost_usd: "1" }))["group"]).toBe(null);
    const { body } = await org.send("GET", `budgets/${id}`);
    expect([body.spent, body.spent_usd, body.status]).toEqual([null, "0.00", "active"]);
    const listed = await org.send("GET", `budgets/${id}/groups?limit=3`);
    const next = await org.send("GET", `budgets/${id}/groups?limit=3&cursor=${listed.body.next_cursor}`);
    const groups = [...listed.body.data, ...next.body.data];
    expect(groups.map((one) => [one.group, one.spent, one.available, one.status])).toEqual([
      ["alice, red", "2.00", "0.00", "exhausted"],
      ["alice, ", "2.00", "0.00", "exhausted"],
      ["bob, red", "2.00", "0.00", "exhausted"],
      [null, "1.50", "0.50", "active"],
    ]);
    const exceeded = (await org.events("budget.exceeded")).map(({ data }) => [
      data["group"],
      data["scope_id"],
    ]);
    expect(exceeded).toEqual([
      ["alice, red", null],
      [null, null],
    ]);
  });

  test("charges a run where its reservation stands, whatever the run says, and gives back there", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, { match: {}, group_by: ["user_id"], limit_usd: "10" });
    const spent = async () => {
      const { body } = await org.send("GET", `budgets/${id}/groups`);
      return Object.fromEntries(
        body.data.map((one: { group: string; spent: string; reserved: string }) => [
          one.group ?? "",
          [one.spent, one.reserved],
        ]),
      ) as object;
    };
    const held = await org.decide("3", { user_id: "alice" });
    expect(await spent()).toEqual({ alice: ["0.00", "3.00"] });
    await org.run({ id: "r", user_id: "bob", cost_usd: "4", reservation_id: held.body.reservation.id });
    expect(await spent()).toEqual({ alice: ["4.00", "0.00"] });
    await call("POST", "/v1/runs/r/adjustments", { key: org.key, body: { amount_usd: "-1", reason: "r" } });
    expect(await spent()).toEqual({ alice: ["3.00", "0.00"] });
    const other = await org.decide("5", { user_id: "bob" });
    await org.release(other.body.reservation.id);
    const charged = await org.decide("2", { user_id: "carol", on_expiry: "charge", hold_seconds: 60 });
    const renewed = await call("POST", `/v1/edge/decision/${charged.body.reservation.id}/renew`, {
      key: org.key,
      body: { amount_usd: "6", hold_seconds: 60 },
    });
    expect(renewed.status).toBe(200);
    expect(await spent()).toMatchObject({
      alice: ["3.00", "0.00"],
      bob: ["0.00", "0.00"],
      carol: ["0.00", "6.00"],
    });
    await org.advance(120);
    await org.decide("0", {});
    expect(await spent()).toMatchObject({ carol: ["6.00", "0.00"] });
    await org.run({ user_id: "dave", cost_usd: "1", reservation_id: charged.body.reservation.id });
    expect(await spent()).toMatchObject({ carol: ["1.00", "0.00"] });
    // The sums are the same when they are added up again from the runs.
    expect((await org.send("PATCH", `budgets/${id}`, { period: "year" })).status).toBe(200);
    expect(await spent()).toMatchObject({ alice: ["3.00", "0.00"], carol: ["1.00", "0.00"] });
  });

  test("counts tokens or runs, of runs and of decisions, and shows what runs took", async () => {
    const org = await newSpender();
    const byTokens = await newBudget(org, { match: {}, unit: "tokens", limit: 40, limit_usd: undefined });
    const byRuns = await newBudget(org, {
      match: { user_id: "u" },
      unit: "runs",
      limit: "2",
      limit_usd: undefined,
    });
    const made = await org.run({ user_id: "u" });
    expect(made.body.charges).toEqual(
      expect.arrayContaining([
        { kind: "budget", id: byTokens.id, amount: 15 },
        { kind: "budget", id: byRuns.id, amount: 1 },
      ]),
    );
    const asked = { user_id: "u", estimate: { cost_usd: "0", input_tokens: 10, max_output_tokens: 10 } };
    const held = await call("POST", "/v1/edge/decision", { key: org.key, body: asked });
    expect(held.body.limits).toEqual(
      expect.arrayContaining([
        { kind: "budget", id: byTokens.id, available: 5 },
        { kind: "budget", id: byRuns.id, available: 0 },
      ]),
    );
    expect((await org.send("GET", `budgets/${byTokens.id}`)).body).toMatchObject({
      unit: "tokens",
      limit: 40,
      limit_usd: "0.00",
      spent: 15,
      reserved: 20,
      available: 5,
    });
    const refused = await org.run({ user_id: "u" });
    expect(detailsOf(refused)).toMatchObject({
      budget_id: byTokens.id,
      unit: "tokens",
      limit: 40,
      spent: 15,
      limit_usd: "0.00",
    });
    expect(
      detailsOf(await org.run({ user_id: "u", usage: { input_tokens: 1, output_tokens: 1 } })),
    ).toMatchObject({
      budget_id: byRuns.id,
      unit: "runs",
      limit: 2,
      spent: 1,
    });
    await org.release(held.body.reservation.id);
    expect((await org.run({ user_id: "u", usage: { input_tokens: 1, output_tokens: 1 } })).status).toBe(201);
    await org.send("DELETE", `budgets/${byTokens.id}`);
    const read = await call("GET", `/v1/runs/${made.body.id}`, { key: org.key });
    expect(read.body.charges).toEqual(made.body.charges);
  });

  test("is refused where it is malformed, with the field", async () => {
    const org = await newSpender();
    const usual = { match: {}, period: "month", limit_usd: "1" };
    const bad: [string, object][] = [
      ["scope_kind", { ...usual, scope_kind: "org" }],
      ["scope_kind", { ...usual, match: undefined }],
      ["scope_id", { ...usual, scope_id: "x" }],
      ["match.colour", { ...usual, match: { colour: "x" } }],
      ["match.model", { ...usual, match: { model: "a*b" } }],
      ["match.tags.Team", { ...usual, match: { tags: { Team: "x" } } }],
      ["match.tags.team", { ...usual, match: { tags: { team: [] } } }],
      ["group_by[0]", { ...usual, group_by: ["outcome"] }],
      ["group_by", { ...usual, group_by: ["user_id", "model", "provider"] }],
      ["group_by", { ...usual, group_by: ["user_id", "user_id"] }],
      ["group_by", { scope_kind: "org", period: "month", limit_usd: "1", group_by: ["user_id"] }],
      ["limit_usd", { ...usual, unit: "tokens" }],
      ["limit_usd", { ...usual, limit: "1" }],
      ["limit_usd", { ...usual, limit_usd: undefined }],
      ["limit", { ...usual, limit_usd: undefined, unit: "runs", limit: "1.5" }],
      ["limit", { ...usual, limit_usd: undefined, limit: 5 }],
      ["timezone", { ...usual, timezone: "Mars/Olympus" }],
      ["anchor_day", { ...usual, anchor_day: 29 }],
      ["anchor_day", { ...usual, period: "week", anchor_day: 8 }],
      ["anchor_day", { ...usual, period: "day", anchor_day: 1 }],
    ];
    for (const [field, body] of bad) {
      const { status, body: answer } = await org.send("POST", "budgets", body);
      expect([field, status, answer.error?.details.fields[0].field]).toEqual([field, 422, field]);
    }
  });

  test("may apply to calls of any number of budgets that exclude each other", async () => {
    const org = await newSpender();
    for (let at = 0; at < 66; at += 1) await newBudget(org, { match: { user_id: `u-${at}` } });
    const more = { match: { model: "gpt-*" }, period: "month", limit_usd: "5" };
    expect((await org.send("POST", "budgets", more)).status).toBe(201);
  });

  test("is refused where a call could have more than 64 of them", async () => {
    const org = await newSpender();
    for (let at = 0; at < 63; at += 1) await newBudget(org, { match: { user_id: ["u", `v-${at}`] } });
    await newBudget(org, { scope_kind: "org" });
    for (const match of [{ user_id: "u" }, { model: "gpt-*" }, {}]) {
      const more = await org.send("POST", "budgets", { match, period: "month", limit_usd: "5" });
      expect(more.status).toBe(422);
      expect(more.body.error.details.fields[0]).toMatchObject({ field: "match", code: "too_many" });
      expect(more.body.error.details.fields[0].message).toContain("64");
    }
    const scoped = await org.send("POST", "budgets", {
      scope_kind: "workflow",
      scope_id: "w",
      period: "day",
      limit_usd: "1",
    });
    expect(scoped.body.error.details.fields[0].field).toBe("scope_kind");
    await newBudget(org, { match: { user_id: "w" } });
    expect(
      (await org.run({ user_id: "u" })).body.charges.filter((one: { kind: string }) => one.kind === "budget"),
    ).toHaveLength(64);
  });

  test("has its periods in a time zone, from a day of its own", async () => {
    const org = await newSpender();
    const zoned = await newBudget(org, { match: {}, timezone: "Europe/Berlin", anchor_day: 15 });
    const { body } = await org.send("GET", `budgets/${zoned.id}`);
    expect(body).toMatchObject({ timezone: "Europe/Berlin", anchor_day: 15 });
    const [start, end] = [new Date(body.period_start), new Date(body.period_end)];
    for (const at of [start, end]) {
      const local = at.toLocaleString("sv-SE", { timeZone: "Europe/Berlin" });
      expect(local).toMatch(/-15 00:00:00$/);
    }
    await org.run({ cost_usd: "2" });
    const changed = await org.send("PATCH", `budgets/${zoned.id}`, { anchor_day: null, timezone: "UTC" });
    expect(changed.body).toMatchObject({ anchor_day: null, timezone: "UTC", spent: "2.00" });
    expect(changed.body.period_start).toMatch(/-01T00:00:00.000Z$/);
    const wrong = await org.send("PATCH", `budgets/${zoned.id}`, { period: "week", anchor_day: 9 });
    expect(wrong.body.error.details.fields[0].field).toBe("anchor_day");
  });

  test("is explained with the counter that was looked at", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, { match: { model: "m*" }, group_by: ["user_id"], limit_usd: "1" });
    const ask = { model: "m1", user_id: "alice", estimate: { cost_usd: "2" } };
    const asked = await org.send("POST", "explain", { ask });
    const own = (body: { checks: { id: string | null }[] }) => body.checks.find((one) => one.id === id);
    expect(own(asked.body)).toMatchObject({ check: "budget", outcome: "refused", limit: "1.00" });
    expect(JSON.stringify(own(asked.body))).toContain("alice");
    const refused = await org.run({ model: "m1", user_id: "alice", cost_usd: "2" });
    const past = await org.send("POST", "explain", { trace_id: refused.headers.get(TRACE_HEADER) });
    expect(own(past.body)).toMatchObject({ outcome: "refused", limit: "1.00" });
    const run = await org.run({ model: "m1", user_id: "bob", cost_usd: "0.5" });
    const passed = await org.send("POST", "explain", { run_id: run.body.id });
    expect(own(passed.body)).toMatchObject({ outcome: "passed", spent: "0.50" });
    const held = await org.decide("0.25", { model: "m1", user_id: "bob" });
    const reserved = await org.send("POST", "explain", { reservation_id: held.body.reservation.id });
    expect(own(reserved.body)).toMatchObject({ outcome: "passed", spent: "0.50", reserved: "0.25" });
  });
});

describe("decisions in the isolate", () => {
  test("are made from slices of the call's own groups, and every one of them is counted there", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, { match: { model: "m*" }, group_by: ["user_id"], limit_usd: "100" });
    const tokens = await newBudget(org, {
      match: { tags: { team: "red" } },
      unit: "tokens",
      limit: 1_000_000,
      limit_usd: undefined,
    });
    const estimate = { cost_usd: "0.01", input_tokens: 10, max_output_tokens: 0 };
    const ask = (user: string) => ({
      model: "m1",
      user_id: user,
      estimate,
      ...(user === "carol" ? { tags: { team: "red" } } : {}),
    });
    const users = ["alice", "bob", "carol"] as const;
    const allowed = { alice: 0, bob: 0, carol: 0 };
    let decidedHere = 0;
    // How fast slices come depends on the machine.
    for (let at = 0; decidedHere < 60 && at < 3000; at += 1) {
      const user = users[at % 3] ?? "alice";
      const answer = await call("POST", "/v1/edge/decision", { key: org.key, body: ask(user) });
      expect(answer.status).toBe(200);
      allowed[user] += 1;
      if (answer.headers.get("x-svc-decided") === "edge") decidedHere += 1;
    }
    expect(decidedHere).toBe(60);
    const reserved = async () => {
      const { body } = await org.send("GET", `budgets/${id}/groups`);
      const told = await org.send("GET", `budgets/${tokens.id}`);
      const sums = body.data.map((one: { group: string; reserved: string }) => [one.group, one.reserved]);
      return [...sums, told.body.reserved] as unknown;
    };
    const cents = (count: number) => (count / 100).toFixed(2);
    await expect
      .poll(reserved)
      .toEqual([...users.map((user) => [user, cents(allowed[user])]), allowed.carol * 10]);
  });
});
