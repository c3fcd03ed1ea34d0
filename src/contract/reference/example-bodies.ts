const FACT = {
  started_at: "2026-11-16T09:00:00Z",
  model: "gpt-4o-mini",
  workflow_id: "ticket-triage",
  customer_id: "globex",
  usage: { input_tokens: 1200, output_tokens: 350 },
};
const ASK = {
  model: "gpt-4o-mini",
  workflow_id: "ticket-triage",
  customer_id: "globex",
  estimate: { cost_usd: "0.01" },
};
const BUDGET = { name: "Support triage", limit_usd: "250.00", alert_thresholds: ["0.8", "1"] };

/** Where the fields of a body exclude each other, or all of them together say little: a body as people send it. */
export const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  "POST /v1/edge/decision": ASK,
  "POST /v1/edge/decisions": { asks: [ASK, { ...ASK, customer_id: "initech" }] },
  "POST /v1/edge/leases": { version: 1, holder: "gate-7f3a9c21", ask: ASK, learn: true, ids: 100 },
  "POST /v1/runs": FACT,
  "POST /v1/runs/bulk": {
    runs: [
      { id: "run-2026-11-16-0001", ...FACT },
      { id: "run-2026-11-16-0002", ...FACT },
    ],
  },
  "POST /v1/orgs/{id}/explain": { ask: ASK },
  "PUT /v1/orgs/{id}/fallbacks/{name}": {
    match: { model: "gpt-4o", workflow_id: "support-bot" },
    then: [{ model: "gpt-4o-mini" }, { model: "llama-3.3-70b-versatile", provider: "groq" }],
    on: ["limit", "provider_error"],
    budget_share: "0.9",
  },
  "POST /v1/orgs/{id}/webhooks": {
    format: "slack",
    url: "https://hooks.slack.com/services/T0000/B0000/example",
    events: ["budget.*"],
    description: "Pager",
  },
  "PATCH /v1/orgs/{id}/webhooks/{sub_id}": { events: ["budget.*", "quota.*"], status: "enabled" },
  "PUT /v1/orgs/{id}/provider-keys/{provider}": {
    secret: "sk-example-0123456789",
    base_url: "https://eu.api.openai.com",
    headers: { "OpenAI-Organization": "org-example" },
    models: ["gpt-*"],
  },
  "PUT /v1/orgs/{id}/customers/{customer_id}": {
    name: "Globex Corporation",
    revenue: { usd_per_month: "500.00", markup: "0.3" },
  },
  "POST /v1/orgs/{id}/budgets": {
    ...BUDGET,
    scope_kind: "workflow",
    scope_id: "ticket-triage",
    period: "month",
  },
  "PATCH /v1/orgs/{id}/budgets/{budget_id}": BUDGET,
  "PUT /v1/admin/orgs/{org_id}/rate-limits": {
    read_rpm: 600,
    policies: [
      {
        name: "per customer",
        match: { customer_id: "*" },
        unit: "usd",
        limit: "5.00",
        window_seconds: 60,
        kind: "rate",
      },
    ],
  },
  "PUT /v1/orgs/{id}/exports/{name}": {
    format: "parquet",
    every: "day",
    destination: { kind: "bucket", prefix: "usage/" },
  },
  "POST /v1/orgs/{id}/credit-packs": {
    customer_id: "globex",
    amount_usd: "50.00",
    expires_at: "2027-12-31T00:00:00Z",
  },
};
