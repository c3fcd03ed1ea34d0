import type { Caller } from "../../support/server.ts";

const DAY_MS = 86_400_000;

/** An org with something on every page: limits near and far, runs over weeks, a rule that asks, a grant in use. */
export async function seedOrg(call: Caller, operator: string): Promise<{ id: string; key: string }> {
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
  await must("POST", `${org}/budgets`, {
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
  await must("POST", `${org}/customer-limits`, {
    customer_id: "globex",
    limit_usd: "150.00",
    period: "month",
  });
  await must("POST", `${org}/credit-packs`, { customer_id: "initech", amount_usd: "75.00" });
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
  await call("POST", "/v1/runs", { key, body: { ...run(0, 1), model: "acme/huge", incurred: false } });
  await must("POST", `${org}/webhooks`, {
    url: "https://hooks.example.com/sluice",
    events: ["budget.*"],
    description: "Pager",
  });
  await call("GET", "/v1/forecast?deployment_id=prod&teams=3", { key });
  const grant = await must("POST", `${org}/support-grants`, {
    scope: "billing_read",
    reason: "Ticket 4411.",
    expires_in_seconds: 7200,
  });
  const inside = await must("POST", "/v1/admin/support-sessions", { grant_id: grant["id"] ?? "" }, operator);
  await call("GET", org, { key: inside["token"] ?? "" });
  return { id, key };
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
