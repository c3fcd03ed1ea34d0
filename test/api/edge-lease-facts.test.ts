import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { env } from "../support/worker.ts";

const MATCHED = { limit_usd: "5", period: "month" };
const POLICY = { unit: "requests", limit: 1000, window_seconds: 60, kind: "rate" };

async function made(sent: Promise<{ status: number; body: { id: string } }>): Promise<string> {
  const { status, body } = await sent;
  expect([200, 201, 204]).toContain(status);
  return body?.id;
}

/** What a gate that asks for nothing is told of the org. */
async function factsOf(org: Spender): Promise<{ counted_by: string[]; scans_input: boolean }> {
  const { status, body } = await new OutsideGate(org.key).exchange({});
  expect(status).toBe(200);
  return body;
}

const ratePolicy = (match: object) => (org: Spender) =>
  org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", {
    read_rpm: null,
    policies: [{ name: "p", match, ...POLICY }],
  });
const budget = (fields: object) => (org: Spender) => org.send("POST", "budgets", { ...MATCHED, ...fields });

test.each<[string, (org: Spender) => Promise<{ status: number; body: { id: string } }>, string[]]>([
  ["a budget of the org", budget({ scope_kind: "org" }), []],
  ["a workflow's budget", budget({ scope_kind: "workflow", scope_id: "w" }), ["workflow_id"]],
  ["a deployment's budget", budget({ scope_kind: "deployment", scope_id: "d" }), ["deployment_id"]],
  ["a department's budget", budget({ scope_kind: "department", scope_id: "d" }), ["department_id"]],
  [
    "a budget that matches",
    budget({ match: { user_id: "u", model: "m*", provider: "p", tags: { team: "red" } } }),
    ["model", "provider", "tags", "user_id"],
  ],
  ["a budget by key", budget({ match: { key_id: "key_1" } }), ["key_id"]],
  [
    "a budget with groups",
    budget({ match: {}, group_by: ["customer_id", "tag:team"] }),
    ["customer_id", "tags"],
  ],
  [
    "a limit of one customer",
    (org) => org.send("POST", "customer-limits", { ...MATCHED, customer_id: "c" }),
    ["customer_id"],
  ],
  [
    "a limit of every customer",
    (org) => org.send("POST", "customer-limits", { ...MATCHED, customer_id: "*" }),
    ["customer_id"],
  ],
  [
    "a credit pack",
    (org) => org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "1" }),
    ["customer_id"],
  ],
  ["a rate limit of the org", ratePolicy({}), []],
  [
    "a rate limit that matches",
    ratePolicy({ workflow_id: "w", variant: "batch", user_id: "*" }),
    ["user_id", "variant", "workflow_id"],
  ],
  ["a rate limit by tags", ratePolicy({ customer_id: "c", tags: { team: "*" } }), ["customer_id", "tags"]],
  ["a rate limit of a key", ratePolicy({ key_id: "key_1" }), ["key_id"]],
  ["a chain budget", (org) => org.send("PUT", "chain-budget", { max_depth: 3, max_cost_usd: "1" }), []],
])("a gate is told what limits count by: %s", async (_, make, counted) => {
  const org = await newSpender();
  expect(await factsOf(org)).toMatchObject({ counted_by: [], scans_input: false });
  await made(make(org));
  expect((await factsOf(org)).counted_by).toEqual(counted);
});

test("a limit that is deleted no longer counts by anything", async () => {
  const org = await newSpender();
  const byUser = await made(budget({ match: { user_id: "u" } })(org));
  await made(budget({ match: { model: "m" }, group_by: ["user_id"] })(org));
  await made(ratePolicy({ workflow_id: "*" })(org));
  expect((await factsOf(org)).counted_by).toEqual(["model", "user_id", "workflow_id"]);
  await made(org.send("DELETE", `budgets/${byUser}`));
  expect((await factsOf(org)).counted_by).toEqual(["model", "user_id", "workflow_id"]);
  const [{ id }] = (await org.send("GET", "budgets")).body.data;
  await made(org.send("DELETE", `budgets/${id}`));
  await made(org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", { read_rpm: null, policies: [] }));
  expect((await factsOf(org)).counted_by).toEqual([]);
});

test.each(["block", "shadow"])(
  "a gate is told of detectors that %s, until there are none",
  async (action) => {
    const org = await newSpender();
    const detectors = [{ id: "email", kind: "builtin", action }];
    await made(org.send("PUT", "content-safety", { detectors }));
    expect((await factsOf(org)).scans_input).toBe(true);
    await made(org.send("PUT", "content-safety", { detectors: [] }));
    expect((await factsOf(org)).scans_input).toBe(false);
  },
);

test("what a gate is told of the limits costs an exchange no statement", async () => {
  const org = await newSpender();
  await made(budget({ match: { user_id: "u" } })(org));
  await made(
    org.send("PUT", "content-safety", { detectors: [{ id: "email", kind: "builtin", action: "block" }] }),
  );
  await factsOf(org);
  const texts: string[] = [];
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const noted = (...given: Parameters<typeof exec>) => {
      texts.push(given[0]);
      return exec(...given);
    };
    Object.defineProperty(sql, "exec", { value: noted });
  });
  const ofEach: string[][] = [];
  for (let exchange = 0; exchange < 5; exchange += 1) {
    texts.length = 0;
    expect(await factsOf(org)).toMatchObject({ counted_by: ["user_id"], scans_input: true });
    ofEach.push(texts.filter((text) => /meters|content_safety|compiled_versions|rate_policies/.test(text)));
  }
  // Beside some of them, the object may do work of its own.
  expect(ofEach).toContainEqual([]);
});

test("a gate hears whether runs are sent on as spans", async () => {
  const org = await newSpender();
  expect(await factsOf(org)).not.toHaveProperty("sends_spans");
  const destination = { kind: "otlp", endpoint: "https://otlp.example.com" };
  expect((await org.send("PUT", "exports/spans", { destination })).status).toBe(200);
  expect(await factsOf(org)).toHaveProperty("sends_spans", true);
  await org.send("DELETE", "exports/spans");
  expect(await factsOf(org)).not.toHaveProperty("sends_spans");
});
