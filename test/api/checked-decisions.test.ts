import { describe, expect, test } from "vitest";
import { all, codeOf, RULE, sent } from "../support/checked.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { type Answer, call, operatorKey } from "../support/worker.ts";

const SECRET = "jane.doe@example.com";

const denied = ({ body }: Answer): string | null => body.would_deny?.code ?? null;

async function plan(org: Spender, name: string, terms: object): Promise<void> {
  const body = { runs_limit: null, tokens_limit: null, overage_policy: "block", ...terms };
  const made = await call("PUT", `/v1/admin/plans/${name}`, { key: operatorKey(), body });
  expect(made.status).toBe(200);
  expect((await org.operate("PATCH", "/v1/admin/orgs/{org}", { plan: name })).status).toBe(200);
}

async function pack(org: Spender, amount: string, more: object = {}): Promise<string> {
  return (await sent(org.send("POST", "credit-packs", { customer_id: "c", amount_usd: amount, ...more })))
    .body.id;
}

const packNow = async (org: Spender, id: string) => {
  const { spent_usd, reserved_usd, remaining_usd } = (await org.send("GET", `credit-packs/${id}`)).body;
  return [spent_usd, reserved_usd, remaining_usd];
};

const usageOf = (org: Spender, meter: string) =>
  rowsOf<{ subject: string; spent: string; held: string }>(
    org.id,
    "SELECT subject, spent, held FROM usage WHERE meter_id = ? ORDER BY subject",
    meter,
  );

describe("with checks: all", () => {
  test("a decision is refused by whatever refuses the run, in the same order; without it, only by limits", async () => {
    const org = await newSpender();
    const { id: ruleId } = (await sent(org.send("POST", "policy-rules", RULE))).body;
    const detectors = [{ id: "email", kind: "builtin", action: "block" }];
    await sent(org.send("PUT", "content-safety", { detectors }));
    await plan(org, "none", { runs_limit: 0 });
    await sent(org.send("PUT", "chain-budget", { max_cost_usd: "0" }));
    await sent(org.operate("PUT", "/v1/orgs/{org}/quota", {}));
    await sent(org.send("PUT", "spend-cap", { cap_usd: "0" }));
    const budget = { scope_kind: "org", limit_usd: "0", period: "day", mode: "enforce" };
    const { id: budgetId } = (await sent(org.send("POST", "budgets", budget))).body;
    const limit = { customer_id: "c", limit_usd: "0", period: "day" };
    const { id: limitId } = (await sent(org.send("POST", "customer-limits", limit))).body;
    await pack(org, "0.5");

    const fields = { model: "acme/bad", customer_id: "c", chain: { chain_id: "x" }, input: SECRET };
    const seen: (string | null)[] = [];
    const next = async (): Promise<void> => {
      const decision = await all(org, "1", fields);
      const run = await org.run({ ...fields, cost_usd: "1" });
      const dry = await all(org, "1", { ...fields, dry_run: true });
      const limits = await org.decide("1", fields);
      seen.push(codeOf(decision));
      expect([codeOf(decision), decision.status]).toEqual([codeOf(run), run.status]);
      expect(denied(dry)).toBe(codeOf(run));
      expect([null, "quota_exhausted", "spend_cap_exceeded", "budget_exceeded"]).toContain(codeOf(limits));
      const { reason, ...details } = decision.body.error.details;
      expect({ ...details, ...(codeOf(run) === "spend_cap_exceeded" ? {} : { reason }) }).toEqual({
        ...run.body.error.details,
      });
    };
    await next();
    await sent(org.send("DELETE", `policy-rules/${ruleId}`));
    await next();
    await sent(org.send("PUT", "content-safety", { detectors: [] }));
    await next();
    await plan(org, "much", {});
    await next();
    await sent(org.send("DELETE", "chain-budget"));
    await next();
    await sent(org.operate("DELETE", "/v1/orgs/{org}/quota"));
    await next();
    await sent(org.send("DELETE", "spend-cap"));
    await next();
    await sent(org.send("DELETE", `budgets/${budgetId}`));
    await next();
    await sent(org.send("DELETE", `customer-limits/${limitId}`));
    await next();
    expect(seen).toEqual([
      "policy_blocked",
      "content_safety_blocked",
      "plan_limit_exceeded",
      "chain_budget_exceeded",
      "quota_exhausted",
      "spend_cap_exceeded",
      "budget_exceeded",
      "budget_exceeded",
      "credits_exhausted",
    ]);
    expect((await all(org, "0.5", fields)).status).toBe(200);
  });

  test("an ask that one limit refuses is reserved in none", async () => {
    const org = await newSpender();
    await plan(org, "roomy", { runs_limit: 10, tokens_limit: 1000 });
    await sent(org.send("PUT", "chain-budget", { max_cost_usd: "5", max_tokens: 500 }));
    await sent(org.send("PUT", "spend-cap", { cap_usd: "5" }));
    const id = await pack(org, "0.5");
    const asked = {
      customer_id: "c",
      chain: { chain_id: "x" },
      estimate: { cost_usd: "1", input_tokens: 9, max_output_tokens: 1 },
    };
    expect(codeOf(await all(org, "1", asked))).toBe("credits_exhausted");
    for (const meter of ["plan_runs", "plan_tokens", "chain_cost", "chain_tokens", "spend_cap"]) {
      expect((await usageOf(org, meter)).filter(({ held }) => held !== "0")).toEqual([]);
    }
    expect(await packNow(org, id)).toEqual(["0.00", "0.00", "0.50"]);
  });
});

describe("a reservation of plan, chain and credits", () => {
  const asked = {
    customer_id: "c",
    chain: { chain_id: "x" },
    estimate: { cost_usd: "2", input_tokens: 30, max_output_tokens: 10 },
  };

  async function reserved(): Promise<{ org: Spender; id: string; packId: string }> {
    const org = await newSpender();
    await plan(org, `two-${org.id.toLowerCase()}`, { runs_limit: 2, tokens_limit: 100 });
    await sent(org.send("PUT", "chain-budget", { max_cost_usd: "3", max_depth: 2, max_tokens: 60 }));
    const packId = await pack(org, "3");
    const { body } = await sent(all(org, "2", { ...asked, hold_seconds: 60 }));
    expect(body.limits).toEqual([
      { kind: "plan_runs", id: "plan_runs", available: 1 },
      { kind: "plan_tokens", id: "plan_tokens", available: 60 },
      { kind: "chain_cost", id: "chain_cost", available_usd: "1.00" },
      { kind: "chain_tokens", id: "chain_tokens", available: 20 },
      { kind: "credits", id: "credits", available_usd: "1.00" },
    ]);
    return { org, id: body.reservation.id, packId };
  }

  const held = async (org: Spender) => {
    const meters = ["plan_runs", "plan_tokens", "chain_cost", "chain_tokens"];
    return Promise.all(
      meters.map(async (meter) => (await usageOf(org, meter)).map(({ spent, held: now }) => [spent, now])),
    );
  };

  const FULL = [[["0", "1"]], [["0", "40"]], [["0", "2000000000"]], [["0", "40"]]];
  const FREE = [[["0", "0"]], [["0", "0"]], [["0", "0"]], [["0", "0"]]];

  test("leaves the rest for others, who cannot use what it holds", async () => {
    const { org, packId } = await reserved();
    expect(await held(org)).toEqual(FULL);
    expect(await packNow(org, packId)).toEqual(["0.00", "2.00", "1.00"]);
    const outside = { customer_id: "c", estimate: { cost_usd: "1.5" } };
    expect((await all(org, "1.5", outside)).body.error).toMatchObject({
      code: "credits_exhausted",
      details: { available_usd: "1.00", attempted_usd: "1.50" },
    });
    expect(codeOf(await org.run({ customer_id: "c", cost_usd: "1.5" }))).toBe("credits_exhausted");
    expect(codeOf(await all(org, "1.5", { chain: { chain_id: "x" } }))).toBe("chain_budget_exceeded");
    expect((await all(org, "1.5", { chain: { chain_id: "y" } })).status).toBe(200);
    expect(codeOf(await all(org, "0", {}))).toBe("plan_limit_exceeded");
    expect(codeOf(await org.run({ cost_usd: "0" }))).toBe("plan_limit_exceeded");
  });

  test("is given back whole when it is released, once", async () => {
    const { org, id, packId } = await reserved();
    for (const _ of [1, 2]) await sent(org.release(id));
    expect(await held(org)).toEqual(FREE);
    expect(await packNow(org, packId)).toEqual(["0.00", "0.00", "3.00"]);
  });

  test("is given back whole when it expires, by the next call that needs the room, and automatically", async () => {
    const { org, packId } = await reserved();
    await org.advance(61);
    expect(await held(org)).toEqual(FREE);
    expect(await packNow(org, packId)).toEqual(["0.00", "0.00", "3.00"]);
    expect((await all(org, "3", { ...asked, estimate: { cost_usd: "3" } })).status).toBe(200);
  });

  test("becomes the charge of its run, which is not checked again, once", async () => {
    const { org, id, packId } = await reserved();
    await sent(org.send("POST", "policy-rules", { ...RULE, when: "true" }));
    const run = { reservation_id: id, customer_id: "c", chain: { chain_id: "x" }, cost_usd: "1.25" };
    const settled = await org.run({ ...run, usage: { input_tokens: 20, output_tokens: 5 } });
    expect(settled.status).toBe(201);
    expect(settled.body.charges).toContainEqual({ kind: "credit_pack", id: packId, amount_usd: "1.25" });
    expect(await held(org)).toEqual([[["1", "0"]], [["25", "0"]], [["1250000000", "0"]], [["25", "0"]]]);
    expect(await packNow(org, packId)).toEqual(["1.25", "0.00", "1.75"]);
    expect((await org.run(run)).status).toBe(409);
    expect(await packNow(org, packId)).toEqual(["1.25", "0.00", "1.75"]);
  });

  test("is drawn from its pack even after that has expired, and above it from live packs", async () => {
    const org = await newSpender();
    const now = await org.advance(1);
    const first = await pack(org, "2", { priority: 1, expires_at: new Date(now + 30_000).toISOString() });
    const second = await pack(org, "5", { priority: 2 });
    const { body } = await sent(all(org, "2", { customer_id: "c" }));
    await org.advance(60);
    const run = { reservation_id: body.reservation.id, customer_id: "c", cost_usd: "3" };
    const settled = await org.run(run);
    expect(settled.body.charges.filter(({ kind }: { kind: string }) => kind === "credit_pack")).toEqual([
      { kind: "credit_pack", id: first, amount_usd: "2.00" },
      { kind: "credit_pack", id: second, amount_usd: "1.00" },
    ]);
    expect([await packNow(org, first), await packNow(org, second)]).toEqual([
      ["2.00", "0.00", "0.00"],
      ["1.00", "0.00", "4.00"],
    ]);
  });

  test("of one customer's credits pays for its run, whichever customer the run names", async () => {
    const { org, id, packId } = await reserved();
    expect((await org.run({ reservation_id: id, customer_id: "d", cost_usd: "2" })).status).toBe(201);
    expect(await packNow(org, packId)).toEqual(["2.00", "0.00", "1.00"]);
  });

  test("is charged to the chain that it was made in, whichever chain its run names", async () => {
    const { org, id } = await reserved();
    const usage = { input_tokens: 1, output_tokens: 1 };
    const run = { id: "r1", reservation_id: id, chain: { chain_id: "y" }, cost_usd: "2", usage };
    expect((await org.run(run)).status).toBe(201);
    const adjusted = await call("POST", "/v1/runs/r1/adjustments", {
      key: org.key,
      body: { amount_usd: "0.5", reason: "r" },
    });
    expect(adjusted.status).toBe(201);
    const [cost] = await usageOf(org, "chain_cost");
    expect(cost).toEqual({ subject: "x", spent: "2500000000", held: "0" });
    await sent(org.send("PUT", "chain-budget", { max_cost_usd: "9" }));
    expect(codeOf(await all(org, "7", { chain: { chain_id: "x" } }))).toBe("chain_budget_exceeded");
    expect((await all(org, "8.9", { chain: { chain_id: "y" } })).status).toBe(200);
  });

  test("takes nothing from what another reservation holds of a pack, even if its run costs more", async () => {
    const org = await newSpender();
    const packId = await pack(org, "3");
    const one = (await sent(all(org, "1", { customer_id: "c" }))).body.reservation.id;
    const two = (await sent(all(org, "2", { customer_id: "c" }))).body.reservation.id;
    const dear = await org.run({ reservation_id: one, customer_id: "c", cost_usd: "2.5" });
    expect(dear.body.uncovered_usd).toBe("1.50");
    // Nothing is left to reserve, but not all of it is spent.
    expect(await org.events("credit_pack.depleted")).toEqual([]);
    expect(await packNow(org, packId)).toEqual(["1.00", "2.00", "0.00"]);
    const fair = await org.run({ reservation_id: two, customer_id: "c", cost_usd: "2" });
    expect(fair.body.uncovered_usd).toBeNull();
    expect(await packNow(org, packId)).toEqual(["3.00", "0.00", "0.00"]);
    expect(await org.events("credit_pack.depleted")).toHaveLength(1);
  });

  test("of several packs leaves what others reserved in each", async () => {
    const org = await newSpender();
    const first = await pack(org, "1", { priority: 1 });
    const second = await pack(org, "2", { priority: 2 });
    const both = (await sent(all(org, "2.25", { customer_id: "c" }))).body.reservation.id;
    await sent(all(org, "0.5", { customer_id: "c" }));
    await sent(org.release(both));
    expect([await packNow(org, first), await packNow(org, second)]).toEqual([
      ["0.00", "0.00", "1.00"],
      ["0.00", "0.50", "1.50"],
    ]);
  });

  test("has the depth after the run that it follows", async () => {
    const { org, id } = await reserved();
    const first = { id: "r1", reservation_id: id, chain: { chain_id: "x" }, cost_usd: "0" };
    await sent(org.run(first));
    const below = { chain: { chain_id: "x", parent_run_id: "r1" }, estimate: { cost_usd: "0" } };
    const second = await sent(all(org, "0", below));
    const run = { id: "r2", chain: below.chain, cost_usd: "0", reservation_id: second.body.reservation.id };
    await plan(org, `much-${org.id.toLowerCase()}`, {});
    await sent(org.run(run));
    const third = { chain: { chain_id: "x", parent_run_id: "r2" } };
    expect((await all(org, "0", third)).body.error).toMatchObject({
      code: "chain_budget_exceeded",
      details: { reason: "depth", current: 2, attempted: 3, limit: 2 },
    });
    const unknown = await all(org, "0", { chain: { chain_id: "y", parent_run_id: "r2" } });
    expect(unknown.body.error.details.fields).toMatchObject([
      { field: "chain.parent_run_id", code: "unknown" },
    ]);
  });
});

test.each([
  ["checks", { checks: "everything" }],
  ["chain.chain_id", { chain: {} }],
  ["approval_id", { approval_id: "no/such" }],
  ["user_id", { user_id: "" }],
  ["provider", { provider: "\u{1F600}" }],
  ["variant", { variant: 1 }],
  ["tags.Team", { tags: { Team: "a" } }],
  ["tags.team", { tags: { team: "" } }],
  ["tags", { tags: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, "x"])) }],
])("a decision is refused, naming %s: %j", async (field, fields) => {
  const org = await newSpender();
  const refused = await org.decide("1", fields);
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.fields).toContainEqual(expect.objectContaining({ field }));
});

test("a decision with every field is allowed, and a run settles it", async () => {
  const org = await newSpender();
  const fields = { user_id: "u", provider: "openai", tags: { team: "a" }, variant: "batch" };
  const { body } = await sent(all(org, "1", { ...fields, chain: { chain_id: "x" }, input: ["hello"] }));
  const run = aRun({ reservation_id: body.reservation.id });
  expect((await call("POST", "/v1/runs", { key: org.key, body: run })).status).toBe(201);
});
