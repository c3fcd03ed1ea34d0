import { expect, test } from "vitest";
import { TRACE_HEADER } from "../../src/contract/headers.ts";
import type { Explanation } from "../../src/contract/resources/explain.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { everythingStored } from "../support/rows.ts";
import { type Answer, call, newOrg } from "../support/worker.ts";

const ORDER = [
  "rate_limit",
  "policy",
  "content_safety",
  "plan",
  "chain",
  "quota",
  "spend_cap",
  "budget",
  "customer_limit",
  "credits",
];

async function explain(org: Spender, question: object): Promise<Explanation> {
  const { status, body, text } = await org.send("POST", "explain", question);
  if (status !== 200) throw new Error(text);
  return body as Explanation;
}

function outcomes({ checks }: Explanation): Record<string, string> {
  return Object.fromEntries(checks.map(({ check, id, outcome }) => [id ?? check, outcome]));
}

const traceOf = (answer: Answer): string => answer.headers.get(TRACE_HEADER) ?? "";
const idOf = (answer: Answer): string => (answer.body as { id: string }).id;

interface Limited {
  readonly org: Spender;
  readonly budget: string;
  readonly workflow: string;
  readonly customer: string;
  readonly rule: string;
}

/** An org with a limit of every kind. */
async function limited(): Promise<Limited> {
  const org = await newSpender();
  const budget = { limit_usd: "100", period: "month", mode: "enforce" };
  const own = await org.send("POST", "budgets", { ...budget, scope_kind: "org", name: "Everything" });
  const workflow = await org.send("POST", "budgets", {
    ...budget,
    scope_kind: "workflow",
    scope_id: "w",
    limit_usd: "10",
  });
  const customer = await org.send("POST", "customer-limits", {
    customer_id: "c",
    limit_usd: "50",
    period: "day",
  });
  await org.send("PUT", "spend-cap", { cap_usd: "80" });
  await org.send("PUT", "chain-budget", { max_cost_usd: "30" });
  await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "5" });
  const rule = {
    target: "model",
    effect: "deny",
    when: "model == 'acme/banned'",
    reason: "Not here",
    priority: 1,
  };
  const made = await org.send("POST", "policy-rules", { ...rule, mode: "enforce" });
  await org.send("PUT", "content-safety", { detectors: [{ id: "email", kind: "builtin", action: "block" }] });
  return { org, budget: idOf(own), workflow: idOf(workflow), customer: idOf(customer), rule: idOf(made) };
}

test("an ask lists every check in order, the first that would refuse, and reserves nothing", async () => {
  const { org, budget, workflow, customer } = await limited();
  const before = await everythingStored(org.id);
  const ask = { estimate: { cost_usd: "20" }, workflow_id: "w", customer_id: "c" };
  const found = await explain(org, { ask });
  expect([...new Set(found.checks.map(({ check }) => check))]).toEqual(ORDER);
  expect(found).toMatchObject({ subject: "ask", id: null, outcome: "refused", amount_usd: "20.00" });
  expect(outcomes(found)).toMatchObject({
    spend_cap: "passed",
    [budget]: "passed",
    [workflow]: "refused",
    [customer]: "skipped",
    credits: "skipped",
    quota: "skipped",
    rate_limit: "skipped",
  });
  expect(found.checks.find(({ id }) => id === workflow)).toMatchObject({
    limit: "10.00",
    spent: "0.00",
    reserved: "0.00",
    available: "10.00",
  });
  expect(found.checks.find(({ id }) => id === budget)).toMatchObject({
    name: "Everything",
    available: "100.00",
  });
  expect(found.checks.find(({ id }) => id === "spend_cap")?.resets_at).toMatch(/\+00:00$/);
  expect(await everythingStored(org.id)).toBe(before);
  expect((await explain(org, { ask: { estimate: { cost_usd: "1" } } })).outcome).toBe("allowed");
});

test('an ask with checks "all" is checked against rules, detectors, plan, chain and credits', async () => {
  const { org, rule } = await limited();
  const ask = { estimate: { cost_usd: "6" }, model: "acme/m1", customer_id: "c", checks: "all" };
  const credits = await explain(org, { ask });
  expect(outcomes(credits)).toMatchObject({ [rule]: "passed", email: "skipped", credits: "refused" });
  const input = { ...ask, input: "ask someone@example.com" };
  const scanned = await explain(org, { ask: input });
  expect(outcomes(scanned)).toMatchObject({ [rule]: "passed", email: "refused", credits: "skipped" });
  expect(JSON.stringify(scanned)).not.toContain("someone");
  expect(await everythingStored(org.id)).not.toContain("someone");
  const banned = await explain(org, { ask: { ...input, model: "acme/banned" } });
  expect(outcomes(banned)).toMatchObject({ [rule]: "refused", email: "skipped", credits: "skipped" });
  const chained = await explain(org, {
    ask: { estimate: { cost_usd: "31" }, checks: "all", chain: { chain_id: "x" } },
  });
  expect(outcomes(chained)).toMatchObject({ chain_cost: "refused", spend_cap: "skipped" });
  const limits = await explain(org, { ask: { ...ask, model: "acme/banned", checks: "limits" } });
  expect(limits.outcome).toBe("allowed");
  expect(outcomes(limits)).toMatchObject({ [rule]: "skipped", email: "skipped", credits: "skipped" });
});

test("an ask that does not say what it is checked against goes by the org's default", async () => {
  const { org } = await limited();
  const ask = { estimate: { cost_usd: "6" }, model: "acme/m1", customer_id: "c" };
  expect(outcomes(await explain(org, { ask }))).toMatchObject({ credits: "skipped" });
  const body = { decision_defaults: { checks: "all" } };
  expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.key, body })).status).toBe(200);
  expect(outcomes(await explain(org, { ask }))).toMatchObject({ credits: "refused" });
});

test("an explanation agrees with the decision that follows", async () => {
  const { org } = await limited();
  for (const cost of ["1", "9.99", "10", "10.01", "20", "50", "50.01", "80", "80.01", "100.01"]) {
    for (const names of [{}, { workflow_id: "w" }, { customer_id: "c" }]) {
      const ask = { estimate: { cost_usd: cost }, ...names };
      const { outcome, checks } = await explain(org, { ask });
      // A hold time so long that the object decides, with current data.
      const asked = await org.decide(cost, { ...names, hold_seconds: 3600 });
      expect([cost, names, outcome]).toEqual([cost, names, asked.status === 200 ? "allowed" : "refused"]);
      const refused = checks.find((one) => one.outcome === "refused")?.id ?? null;
      const { error } = asked.body as { error?: { code: string; details: { budget_id?: string } } };
      expect(refused).toBe(error === undefined ? null : (error.details.budget_id ?? "spend_cap"));
      if (asked.status === 200)
        await org.release((asked.body as { reservation: { id: string } }).reservation.id);
    }
  }
});

test("a full rate limit refuses first", async () => {
  const org = await newSpender();
  const policy = { name: "calls", match: {}, unit: "requests", limit: 0, window_seconds: 60, kind: "quota" };
  const route = { route: "POST /v1/edge/decision" };
  await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", {
    read_rpm: null,
    policies: [{ ...policy, match: route }],
  });
  const { checks, outcome } = await explain(org, { ask: { estimate: { cost_usd: "1" } } });
  expect(outcome).toBe("refused");
  expect(checks[0]).toMatchObject({
    check: "rate_limit",
    name: "calls",
    outcome: "refused",
    limit: 0,
    available: 0,
  });
});

test("a refused trace says which check refused, with the amounts at that time", async () => {
  const { org, budget, workflow, customer } = await limited();
  const refused = await org.decide("20", { workflow_id: "w", customer_id: "c" });
  expect(refused.status).toBe(402);
  await org.send("PATCH", `budgets/${workflow}`, { limit_usd: "1000" });
  const found = await explain(org, { trace_id: traceOf(refused) });
  expect(found).toMatchObject({ subject: "trace_id", outcome: "refused", amount_usd: "20.00", refusals: 1 });
  expect(found.refusal).toMatchObject({ code: "budget_exceeded", limit: workflow });
  expect(outcomes(found)).toMatchObject({ [budget]: "passed", [workflow]: "refused", [customer]: "skipped" });
  const check = found.checks.find(({ id }) => id === workflow);
  expect(check).toMatchObject({ limit: "10.00", spent: "0.00", as_of: found.refusal?.at });
  await org.send("DELETE", `budgets/${workflow}`);
  const gone = await explain(org, { trace_id: traceOf(refused) });
  expect(outcomes(gone)).toMatchObject({ [budget]: "passed", [workflow]: "refused", [customer]: "skipped" });
  expect([...new Set(gone.checks.map(({ check: name }) => name))]).toEqual(ORDER);
});

test("a batch's trace counts its refusals, and rules and detectors are found by name", async () => {
  const { org, rule } = await limited();
  const bulk = await org.bulk([aRun({ model: "acme/banned" }), aRun({ model: "acme/banned" }), aRun({})]);
  const found = await explain(org, { trace_id: traceOf(bulk) });
  expect(found).toMatchObject({ refusals: 2, refusal: { code: "policy_blocked", limit: rule } });
  expect(outcomes(found)).toMatchObject({ [rule]: "refused", email: "skipped", spend_cap: "skipped" });
  const unsafe = await org.run({ input: "ask someone@example.com" });
  expect(outcomes(await explain(org, { trace_id: traceOf(unsafe) }))).toMatchObject({
    [rule]: "passed",
    email: "refused",
    spend_cap: "skipped",
  });
});

test("each refusal of a trace is explained by its own id", async () => {
  const { org, rule, workflow } = await limited();
  const bulk = await org.bulk([
    aRun({ model: "acme/banned" }),
    aRun({ workflow_id: "w", cost_usd: "10.5" }),
    aRun({ workflow_id: "w", cost_usd: "11" }),
  ]);
  const listed = await org.send("GET", `refusals?trace_id=${traceOf(bulk)}`);
  const refusals = (listed.body as { data: { id: string; limit: string; amount_usd: string }[] }).data;
  expect(refusals.map(({ limit }) => limit).sort()).toEqual([rule, workflow, workflow].sort());
  for (const { id, limit, amount_usd } of refusals) {
    const found = await explain(org, { refusal_id: id });
    expect(found).toMatchObject({
      subject: "refusal_id",
      id,
      amount_usd,
      refusals: 3,
      refusal: { id, limit },
    });
    expect(found.checks.find(({ outcome }) => outcome === "refused")?.id).toBe(limit);
  }
  const [known = ""] = refusals.map(({ id }) => id);
  for (const id of [`${known.slice(0, -1)}Z`, `ref_${"Z".repeat(26)}`]) {
    expect((await org.send("POST", "explain", { refusal_id: id })).status).toBe(404);
  }
  expect((await org.send("POST", "explain", { refusal_id: "ref_1" })).status).toBe(422);
});

test("a refusal says what was asked for and what was used at that time", async () => {
  const { org } = await limited();
  const whyOf = async (refused: Answer) => {
    const { checks } = await explain(org, { trace_id: traceOf(refused) });
    return checks.find(({ outcome }) => outcome === "refused")?.why;
  };
  await org.run({ cost_usd: "9", workflow_id: "w" });
  expect(await whyOf(await org.decide("2.5", { workflow_id: "w" }))).toBe(
    "There was no room for $2.50: $9.00 of $10.00 was spent.",
  );
  expect(await whyOf(await org.decide("75"))).toBe(
    "There was no room for $75.00: $9.00 of $80.00 was spent.",
  );
  expect(await whyOf(await org.run({ cost_usd: "6", customer_id: "c" }))).toBe(
    "There was no room for $6.00: $5.00 was left.",
  );
  expect(await whyOf(await org.run({ cost_usd: "31", chain: { chain_id: "x" } }))).toBe(
    "There was no room for $31.00: $0.00 of $30.00 was spent.",
  );
  await org.send("POST", "budgets", {
    scope_kind: "workflow",
    scope_id: "counted",
    unit: "runs",
    limit: 1,
    period: "month",
    mode: "enforce",
  });
  await org.run({ cost_usd: "0.01", workflow_id: "counted" });
  expect(await whyOf(await org.run({ cost_usd: "0.01", workflow_id: "counted" }))).toBe(
    "There was no room: 1 of 1 runs were used.",
  );
});

test("a reservation names its limits, and a run names the limits it passed", async () => {
  const { org, budget, workflow } = await limited();
  const asked = await org.decide("2", { workflow_id: "w" });
  const { id } = (asked.body as { reservation: { id: string } }).reservation;
  const held = await explain(org, { reservation_id: id });
  expect(held).toMatchObject({ subject: "reservation_id", id, outcome: "allowed", amount_usd: "2.00" });
  expect(outcomes(held)).toMatchObject({ spend_cap: "passed", [budget]: "passed", [workflow]: "passed" });
  expect(held.checks.find((one) => one.id === workflow)).toMatchObject({
    reserved: "2.00",
    available: "8.00",
  });

  const run = await org.run({ cost_usd: "1", workflow_id: "w" });
  const passed = await explain(org, { run_id: idOf(run) });
  expect(passed).toMatchObject({ outcome: "allowed", amount_usd: "1.00" });
  expect(outcomes(passed)).toMatchObject({ spend_cap: "passed", [workflow]: "passed", email: "passed" });
  expect(outcomes(await explain(org, { trace_id: traceOf(run) }))).toEqual(outcomes(passed));

  const fact = await org.run({ cost_usd: "90", workflow_id: "w", incurred: true });
  const unasked = await explain(org, { run_id: idOf(fact) });
  expect(unasked.checks.every(({ outcome }) => outcome === "skipped")).toBe(true);
  expect(unasked.checks.find((one) => one.id === workflow)?.why).toContain("exceeded");
});

test("an unknown subject, or one of another org, is not found, and a question has exactly one subject", async () => {
  const { org } = await limited();
  const refused = await org.decide("200");
  const asked = await org.decide("1");
  const run = await org.run({ cost_usd: "1" });
  const questions = [
    { trace_id: traceOf(refused) },
    { reservation_id: (asked.body as { reservation: { id: string } }).reservation.id },
    { run_id: idOf(run) },
    { refusal_id: (await explain(org, { trace_id: traceOf(refused) })).refusal?.id },
  ];
  const other = await newSpender();
  for (const question of questions) {
    expect((await org.send("POST", "explain", question)).status).toBe(200);
    expect((await other.send("POST", "explain", question)).status).toBe(404);
    const path = `/v1/orgs/${org.id}/explain`;
    expect((await call("POST", path, { key: other.key, body: question })).status).toBe(404);
  }
  const wrong = [
    [{}, "trace_id"],
    [{ trace_id: "a", run_id: "b" }, "run_id"],
    [{ ask: {} }, "ask.estimate"],
    [{ ask: { estimate: {} } }, "ask.estimate.cost_usd"],
    [
      { ask: { estimate: { cost_usd: "1" }, chain: { chain_id: "x", parent_run_id: "y" } } },
      "ask.chain.parent_run_id",
    ],
    [{ trace: "a" }, "trace"],
  ] as const;
  for (const [body, field] of wrong) {
    const answer = await org.send("POST", "explain", body);
    expect([body, answer.status]).toEqual([body, 422]);
    expect(answer.text).toContain(`"${field}"`);
  }
});

test("a viewer with the scope can ask, others cannot", async () => {
  const org = await newOrg();
  const body = { ask: { estimate: { cost_usd: "1" } } };
  const path = `/v1/orgs/${org.id}/explain`;
  expect((await call("POST", path, { key: await org.mint("viewer"), body })).status).toBe(200);
  const scoped = await org.mint("viewer", { scopes: ["budgets:read"] });
  expect((await call("POST", path, { key: scoped, body })).status).toBe(403);
  expect((await call("POST", path, { body })).status).toBe(401);
});
