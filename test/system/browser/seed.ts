import type { Caller } from "../../support/server.ts";

const DAY_MS = 86_400_000;

/**
 * An org with something on every page: limits near and far, runs over weeks, a rule that requires approval, a grant in
 * use.
 */
export async function seedOrg(
  call: Caller,
  operator: string,
): Promise<{ id: string; key: string; held: ReturnType<typeof run> & { id: string } }> {
  const made = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "Acme Robotics" } });
  const { id, key } = { id: made.body.org.id as string, key: made.body.owner_key as string };
  const must = async (method: string, path: string, body: object, as = key) => {
    const answer = await call(method, path, { key: as, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as Record<string, string>;
  };
  const org = `/v1/orgs/${id}`;
  await must("PUT", `${org}/spend-cap`, { cap_usd: "120.00", timezone: "Europe/Berlin" });
  const month = { period: "month", mode: "enforce" };
  const everything = await must("POST", `${org}/budgets`, {
    name: "Everything",
    scope_kind: "org",
    limit_usd: "2500.00",
    ...month,
  });
  await must("POST", `${org}/budgets`, {
    name: "Support triage",
    scope_kind: "workflow",
    scope_id: "triage",
    limit_usd: "420.00",
    ...month,
  });
  await must("POST", `${org}/budgets`, {
    scope_kind: "department",
    scope_id: "research",
    limit_usd: "900.00",
    period: "quarter",
    mode: "shadow",
  });
  await must("POST", `${org}/budgets/${everything["id"]}/increases`, {
    amount: "250.00",
    until: new Date(Date.now() + 7 * DAY_MS).toISOString(),
    reason: "Launch week",
  });
  await must("POST", `${org}/customer-limits`, {
    customer_id: "globex",
    limit_usd: "150.00",
    period: "month",
  });
  await must("POST", `${org}/customer-limits`, { customer_id: "*", limit_usd: "40.00", period: "week" });
  await seedLongNames(must, org);
  await refuseLongNames((body) => call("POST", "/v1/edge/decision", { key, body }));
  await must("POST", `${org}/credit-packs`, { customer_id: "initech", amount_usd: "75.00" });
  await must("PUT", `${org}/quota`, { low_balance_usd: "50.00" }, operator);
  await must("POST", `${org}/quota/top-ups`, { amount_usd: "4000.00" }, operator);
  await seedModels(must, org);
  await must("PUT", `${org}/fallbacks/cheaper`, {
    match: { model: "gpt-4.1" },
    then: [{ model: "gpt-4.1-mini" }],
    on: ["limit"],
  });
  await must("PUT", `${org}/provider-keys/openai`, { secret: "sk-seeded-0123456789" });
  await must("PUT", `${org}/content-safety`, {
    detectors: [
      { id: "credit_card", kind: "builtin", action: "block" },
      { id: "project_name", kind: "pattern", pattern: "(?i)project\\s+lantern", action: "shadow" },
    ],
  });
  const target = { format: "csv", every: "hour", destination: { kind: "bucket" } };
  await must("PUT", `${org}/exports/warehouse`, target);
  await must("PUT", `${org}/digests/weekly`, { every: "week", at: "09:00" });
  const spikes = {
    name: "Spikes",
    match: {},
    unit: "requests",
    limit: 6000,
    window_seconds: 60,
    kind: "rate",
  };
  const match = { route: "POST /v1/edge/decision", customer_id: "*" };
  const daily = {
    name: "A day of tokens",
    match,
    unit: "tokens",
    limit: 2_000_000,
    window_seconds: 86_400,
    kind: "quota",
  };
  const rates = { read_rpm: 3000, policies: [spikes, daily] };
  await must("PUT", `/v1/admin/orgs/${id}/rate-limits`, rates, operator);
  await must("POST", "/v1/runs/bulk", { runs: runs() });
  const rule = {
    target: "model",
    effect: "require_approval",
    when: 'model == "acme/huge"',
    reason: "Large models need a second pair of eyes.",
    priority: 10,
    mode: "enforce",
  };
  await must("POST", `${org}/policy-rules`, rule);
  const held = {
    ...run(0, 1),
    id: "held-1",
    model: "acme/huge",
    incurred: false,
    cost_usd: "0.01",
    customer_id: "hooli",
  };
  await call("POST", "/v1/runs", { key, body: held });
  const webhook = await must("POST", `${org}/webhooks`, {
    url: "https://hooks.example.com/sluice",
    events: ["budget.*"],
    description: "Pager",
  });
  await must("POST", `${org}/webhooks/${webhook["id"]}/test`, {});
  await call("GET", "/v1/forecast?deployment_id=prod&teams=3", { key });
  const grant = await must("POST", `${org}/support-grants`, {
    scope: "billing_read",
    reason: "Ticket 4411.",
    expires_in_seconds: 7200,
  });
  const inside = await must("POST", "/v1/admin/support-sessions", { grant_id: grant["id"] ?? "" }, operator);
  await call("GET", org, { key: inside["token"] ?? "" });
  return { id, key, held };
}

/** As long as a name and an id may be, without a place to break them. */
const LONG_NAME = "a_name_that_goes_on_".repeat(10);
const LONG_ID = LONG_NAME.slice(0, 128);

/** Long names, and an amount with all its digits. */
async function seedLongNames(must: Must, org: string): Promise<void> {
  const name = LONG_NAME;
  const scope_id = LONG_ID;
  const limit = { limit_usd: "123456789.123456789", period: "month" };
  await must("POST", `${org}/budgets`, { name, scope_kind: "workflow", scope_id, ...limit });
  const small = { limit_usd: "0.01", period: "month" };
  await must("POST", `${org}/budgets`, { name, scope_kind: "department", scope_id, ...small });
  await must("POST", `${org}/customer-limits`, { customer_id: scope_id, ...limit });
  await must("POST", `${org}/keys`, { name, role: "viewer" });
  const spent = { ...run(0, 5), customer_id: scope_id, user_id: scope_id, cost_usd: "1.123456789" };
  await must("POST", "/v1/runs", spent);
}

/** Refusals by a limit with a long name, and of a large amount. */
async function refuseLongNames(decide: (body: object) => Promise<unknown>): Promise<void> {
  const who = { customer_id: LONG_ID, department_id: LONG_ID, workflow_id: LONG_ID, model: LONG_ID };
  for (const cost_usd of ["1.123456789", "123456789.123456789"])
    await decide({ ...who, estimate: { cost_usd } });
}

type Must = (method: string, path: string, body: object) => Promise<unknown>;

/** Two models with prices, results and a policy that routes between them. */
async function seedModels(must: Must, org: string): Promise<void> {
  const prices = { "acme/opus-4": ["15.00", "75.00"], "acme/sonnet-4": ["3.00", "15.00"] } as const;
  for (const [model, [input, output]] of Object.entries(prices)) {
    const body = { input_usd_per_mtok: input, output_usd_per_mtok: output };
    await must("PUT", `${org}/models/${encodeURIComponent(model)}`, body);
    const run_at = new Date(Date.now() - DAY_MS).toISOString();
    await must("POST", `${org}/evals`, { suite: "answers", model, score: 0.96, samples: 800, run_at });
  }
  await must("PUT", `${org}/routing-policy`, {
    candidates: ["acme/opus-4", "acme/sonnet-4", "north/mini"],
    eval_gate: { suite: "answers", min_score: 0.9, min_samples: 100, max_age_days: 30 },
    prefer: "cheapest",
  });
}

function run(daysAgo: number, index: number) {
  const started = new Date(Date.now() - daysAgo * DAY_MS - 60_000 - index * 1000).toISOString();
  const models = ["acme/opus-4", "acme/sonnet-4", "north/mini", "north/embed"];
  const workflows = ["triage", "code-review", "nightly-eval"];
  return {
    started_at: started,
    model: models[index % 4] ?? "",
    workflow_id: workflows[index % 3] ?? "",
    department_id: index % 2 === 0 ? "research" : "support",
    customer_id: index % 5 === 0 ? "globex" : "umbrella",
    usage: { input_tokens: 900 + index, output_tokens: 120 },
    cost_usd: (2 + ((index * 7 + daysAgo * 3) % 11) / 2).toFixed(2),
    incurred: true,
  };
}

function runs(): object[] {
  return Array.from({ length: 240 }, (_, index) => run(Math.floor(index / 8), index));
}
