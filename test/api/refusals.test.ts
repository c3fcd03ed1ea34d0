import { expect, test } from "vitest";
import { TRACE_HEADER } from "../../src/contract/headers.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { type Answer, call, newOrg, operatorKey } from "../support/worker.ts";
import { gatherAsDeployed } from "../support/lives.ts";

interface Listed extends Record<string, unknown> {
  readonly id: string;
  readonly at: string;
  readonly code: string;
  readonly trace_id: string;
  readonly customer_id: string | null;
}

async function refusals(org: Spender, query = ""): Promise<Listed[]> {
  const { status, body, text } = await org.send("GET", `refusals${query}`);
  if (status !== 200) throw new Error(text);
  return (body as { data: Listed[] }).data;
}

interface Line {
  readonly hour: string;
  readonly group: string | null;
  readonly count: number;
  readonly amount_usd: string;
}

async function summary(
  org: Spender,
  query = "",
): Promise<{ count: number; amount_usd: string; data: Line[] }> {
  const { status, body, text } = await org.send("GET", `refusals/summary${query}`);
  if (status !== 200) throw new Error(text);
  return body as { count: number; amount_usd: string; data: Line[] };
}

const traceOf = (answer: Answer): string => answer.headers.get(TRACE_HEADER) ?? "";

async function budgeted(limitUsd: string, more: object = {}): Promise<{ org: Spender; budget: string }> {
  const org = await newSpender();
  const body = { scope_kind: "org", limit_usd: limitUsd, period: "month", mode: "enforce", ...more };
  const made = await org.send("POST", "budgets", body);
  return { org, budget: (made.body as { id: string }).id };
}

test("a refused decision is listed with its trace, what it named and what it asked for", async () => {
  const { org, budget } = await budgeted("1");
  const names = {
    model: "acme/m1",
    customer_id: "c1",
    workflow_id: "w1",
    department_id: "d",
    deployment_id: "p",
  };
  const refused = await org.decide("1.5", names);
  expect(refused.status).toBe(402);
  const [listed, ...others] = await refusals(org);
  expect(others).toHaveLength(0);
  expect(listed).toMatchObject({
    trace_id: traceOf(refused),
    decided: "object",
    operation: "POST /v1/edge/decision",
    status: 402,
    code: "budget_exceeded",
    details: { budget_id: budget, limit_usd: "1.00", spent_usd: "0.00" },
    limit: budget,
    ...names,
    user_id: null,
    amount_usd: "1.50",
  });
  expect(listed?.id).toMatch(/^ref_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(listed?.["key_id"]).toMatch(/^key_/);
});

test("refusals made by the isolate are listed too, and counted exactly", async () => {
  const { org } = await budgeted("1");
  const answers: Answer[] = [];
  while (answers.filter((one) => one.headers.get("x-svc-decided") === "edge").length < 20) {
    answers.push(await org.decide("2"));
  }
  expect(answers.every(({ status }) => status === 402)).toBe(true);
  const listed = await refusals(org, "?limit=200");
  expect(new Set(listed.map((one) => one.trace_id))).toEqual(new Set(answers.map(traceOf)));
  expect(listed.filter((one) => one["decided"] === "edge")).not.toHaveLength(0);
  expect((await summary(org)).count).toBe(answers.length);
  expect((await summary(org)).amount_usd).toBe(`${answers.length * 2}.00`);
});

test("refused runs and each refused run of a batch are listed; accepted and malformed ones are not", async () => {
  const { org } = await budgeted("2");
  expect((await org.run({ cost_usd: "3" })).status).toBe(402);
  const batch = [aRun({ cost_usd: "1" }), aRun({ cost_usd: "5", customer_id: "a" }), aRun({ cost_usd: "6" })];
  expect((await org.bulk(batch)).body).toMatchObject({ accepted: 1, rejected: 2 });
  const all = await org.bulk([aRun({ cost_usd: "7" }), aRun({ cost_usd: "8" })]);
  expect(all.status).toBe(402);
  expect((await org.run({ cost_usd: "nothing" })).status).toBe(422);
  expect((await org.decide("nothing")).status).toBe(422);
  expect((await org.decide("9", { dry_run: true })).status).toBe(200);
  const listed = await refusals(org);
  const said = listed.map((one) => `${String(one["operation"])} ${String(one["amount_usd"])}`);
  expect(said.toSorted()).toEqual([
    "POST /v1/runs 3.00",
    "POST /v1/runs/bulk 5.00",
    "POST /v1/runs/bulk 6.00",
    "POST /v1/runs/bulk 7.00",
    "POST /v1/runs/bulk 8.00",
  ]);
});

test("refusals by rules and detectors are listed, without any of the input", async () => {
  const org = await newSpender();
  const rule = { target: "model", effect: "deny", when: "model == 'acme/banned'", reason: "no", priority: 1 };
  const made = await org.send("POST", "policy-rules", { ...rule, mode: "enforce" });
  await org.send("PUT", "content-safety", { detectors: [{ id: "email", kind: "builtin", action: "block" }] });
  expect((await org.run({ model: "acme/banned" })).status).toBe(403);
  expect((await org.run({ input: "write to someone@example.com" })).status).toBe(403);
  const listed = await refusals(org);
  expect(listed.map(({ code, limit }) => [code, limit])).toEqual([
    ["content_safety_blocked", "email"],
    ["policy_blocked", (made.body as { id: string }).id],
  ]);
  expect(listed[0]?.["details"]).toEqual({ detector: "email" });
  const stored = await rowsOf(org.id, "SELECT body FROM refusal_batches");
  expect(JSON.stringify(stored)).not.toContain("someone");
});

test("a rate limit's refusal names its policy, before and after the body is read", async () => {
  const org = await newSpender();
  const policies = ["POST /v1/runs", "POST /v1/edge/decision"].map((route) => ({
    name: route,
    match: { route },
    unit: "requests",
    limit: 0,
    window_seconds: 60,
    kind: "rate",
  }));
  const set = await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", { read_rpm: null, policies });
  const ids = (set.body as { policies: { id: string; name: string }[] }).policies;
  const traces = [traceOf(await org.run()), traceOf(await org.decide("1")), traceOf(await org.decide("1"))];
  const listed = await refusals(org);
  expect(listed.map((one) => one.trace_id).toSorted()).toEqual(traces.toSorted());
  for (const one of listed) {
    expect(one).toMatchObject({ code: "rate_limited", status: 429 });
    expect(one["limit"]).toBe(ids.find(({ name }) => name === one["operation"])?.id);
  }
});

test("each filter finds its own refusals, and pages list each once, newest first", async () => {
  const { org } = await budgeted("1");
  for (let sent = 0; sent < 12; sent += 1) {
    await org.decide("2", { customer_id: `c${sent % 3}`, workflow_id: `w${sent % 2}`, hold_seconds: 3600 });
  }
  await org.run({ cost_usd: "2", customer_id: "c0" });
  const [newest] = await refusals(org);
  expect(await refusals(org, `?trace_id=${newest?.trace_id}`)).toEqual([newest]);
  expect(await refusals(org, "?customer_id=c0")).toHaveLength(5);
  expect(await refusals(org, "?workflow_id=w1")).toHaveLength(6);
  expect(await refusals(org, "?code=rate_limited")).toHaveLength(0);
  expect(await refusals(org, `?key_id=${String(newest?.["key_id"])}`)).toHaveLength(13);
  expect(await refusals(org, "?customer_id=c0&workflow_id=w1")).toHaveLength(2);
  expect(await refusals(org, `?to=${newest?.at}`)).not.toContainEqual(newest);
  const seen: Listed[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await org.send("GET", `refusals?limit=5${next}`);
    const page = body as { data: Listed[]; next_cursor: string | null };
    seen.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(seen).toHaveLength(13);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(13);
  expect(seen).toEqual(seen.toSorted((one, other) => (one.id < other.id ? 1 : -1)));
});

test("bad filters are named", async () => {
  const org = await newSpender();
  const wrong = [
    ["refusals?sort=at", "sort"],
    ["refusals?code=nonsense", "code"],
    ["refusals?reason=x", "reason"],
    ["refusals?from=2026-01-01&to=2026-12-01", "to"],
    ["refusals/summary?group_by=model", "group_by"],
    ["refusals/summary?from=2026-02-01&to=2026-01-01", "to"],
  ] as const;
  for (const [path, field] of wrong) {
    const { status, body } = await org.send("GET", path);
    expect([path, status]).toEqual([path, 422]);
    const { fields } = (body as { error: { details: { fields: { field: string }[] } } }).error.details;
    expect(fields[0]?.field).toBe(field);
  }
});

test("the summary has exact counts and amounts by hour and group, across hours, folds and the end of the list", async () => {
  const { org } = await budgeted("1", { period: "total" });
  const runs = (count: number, customer: string) =>
    Array.from({ length: count }, () => aRun({ cost_usd: "2", customer_id: customer }));
  for (let sent = 0; sent < 70; sent += 1) {
    await org.bulk([...runs(2, "a"), ...runs(1, "b")]);
    // Reading refusals stores pending ones first, in their own row.
    await refusals(org, "?limit=1");
  }
  const first = (await summary(org, "?group_by=customer_id")).data;
  expect(first.map(({ group, count, amount_usd }) => [group, count, amount_usd])).toEqual([
    ["a", 140, "280.00"],
    ["b", 70, "140.00"],
  ]);
  expect(await rowsOf(org.id, "SELECT 1 FROM refusal_hours")).not.toHaveLength(0);
  await org.advance(3600);
  await org.bulk(runs(4, "b"));
  const { data, count } = await summary(org, "?group_by=customer_id");
  expect(count).toBe(214);
  expect(data.map(({ group, count: n }) => [group, n])).toEqual([
    ["b", 4],
    ["a", 140],
    ["b", 70],
  ]);
  expect(Date.parse(data[0]?.hour ?? "") - Date.parse(data[1]?.hour ?? "")).toBe(3_600_000);
  expect((await summary(org, "?group_by=code")).data[0]).toMatchObject({
    group: "budget_exceeded",
    count: 4,
  });
  const from = data[0]?.hour ?? "";
  expect((await summary(org, `?from=${from}`)).count).toBe(4);
});

test("other orgs and keys without the scope see nothing", async () => {
  const { org } = await budgeted("1");
  await org.decide("2");
  const other = await newOrg();
  const scoped = await newOrg();
  const noRuns = await scoped.mint("viewer", { scopes: ["budgets:read"] });
  for (const path of ["refusals", "refusals/summary"]) {
    const read = (id: string, key: string | null) => call("GET", `/v1/orgs/${id}/${path}`, { key });
    expect((await read(org.id, other.ownerKey)).status).toBe(404);
    expect((await read(org.id, null)).status).toBe(401);
    expect((await read(scoped.id, noRuns)).status).toBe(403);
    expect((await read(scoped.id, await scoped.mint("viewer"))).status).toBe(200);
    expect((await read(org.id, operatorKey())).status).toBe(200);
  }
});

test("a flood of refusals by the object is stored in few rows", async () => {
  gatherAsDeployed();
  const { org } = await budgeted("1");
  const sent = await Promise.all(Array.from({ length: 60 }, () => org.run({ cost_usd: "2" })));
  expect(sent.every(({ status }) => status === 402)).toBe(true);
  expect(await refusals(org, "?limit=200")).toHaveLength(60);
  const rows = await rowsOf(org.id, "SELECT notes FROM refusal_batches");
  expect(rows.length).toBeLessThan(30);
});
