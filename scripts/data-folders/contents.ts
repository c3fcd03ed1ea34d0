/**
 * What is written to a data folder through the API of the version that made it, and what later versions must read back.
 * `{org}` stands for the org's id, `{…}` for the answer of an earlier call.
 */

export interface Made {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Called with the operator's key instead of the org's. */
  readonly operator?: true;
  /** The name under which later paths and bodies refer to the `id` of the response. */
  readonly as?: string;
}

const run = (id: string, more: object = {}): object => ({
  id,
  started_at: "2026-11-01T12:00:00.250Z",
  model: "acme/m1",
  usage: { input_tokens: 1200, output_tokens: 340 },
  cost_usd: "0.25",
  ...more,
});

const of = (path: string, body: object, as?: string): Made => ({
  method: "POST",
  path: `/v1/orgs/{org}${path}`,
  body,
  ...(as === undefined ? {} : { as }),
});
const set = (path: string, body: object): Made => ({ method: "PUT", path: `/v1/orgs/{org}${path}`, body });

export const CALLS: readonly Made[] = [
  of("/keys", { name: "reporter", role: "developer", scopes: ["runs:write", "runs:read"] }, "key"),
  set("/models/acme%2Fm1", { input_usd_per_mtok: "3", output_usd_per_mtok: "15" }),
  of("/budgets", { scope_kind: "org", limit_usd: "500", period: "total", mode: "enforce" }, "budget"),
  of("/budgets", {
    scope_kind: "workflow",
    scope_id: "triage",
    limit_usd: "50",
    period: "total",
    mode: "enforce",
  }),
  set("/spend-cap", { cap_usd: "300", timezone: "Europe/Berlin" }),
  of("/customer-limits", { customer_id: "cust-1", limit_usd: "40", period: "total" }),
  of("/credit-packs", { customer_id: "cust-1", amount_usd: "30" }),
  set("/chain-budget", { max_cost_usd: "20", max_depth: 5 }),
  of("/webhooks", { url: "http://127.0.0.1:9/hook", events: ["quota.*"] }, "webhook"),
  of("/policy-rules", { target: "model", effect: "deny", when: 'model == "acme/m9"', reason: "Not yet." }),
  set("/content-safety", { detectors: [{ id: "email", kind: "builtin", action: "block" }] }),
  set("/retention-policy", { runs_days: 1095, audit_days: 3650, deliveries_days: 90, legal_hold: true }),
  {
    method: "PUT",
    path: "/v1/admin/orgs/{org}/rate-limits",
    operator: true,
    body: { read_rpm: 900, policies: [] },
  },
  { method: "POST", path: "/v1/runs", body: run("run-plain") },
  {
    method: "POST",
    path: "/v1/runs",
    body: run("run-full", {
      ended_at: "2026-11-01T12:00:07.500Z",
      action: "summarize",
      workflow_id: "triage",
      deployment_id: "blue",
      department_id: "support",
      customer_id: "cust-1",
      chain: { chain_id: "chain-1" },
      metadata: { ticket: "T-1", nested: { deep: [1, "zwei"] } },
    }),
  },
  {
    method: "POST",
    path: "/v1/runs",
    body: run("run-child", {
      chain: { chain_id: "chain-1", parent_run_id: "run-full" },
      customer_id: "cust-1",
    }),
  },
  {
    method: "POST",
    path: "/v1/runs/bulk",
    body: {
      runs: Array.from({ length: 40 }, (_, index) =>
        run(`bulk-${index}`, {
          started_at: new Date(Date.UTC(2026, 9, 1) + index * 3_600_000).toISOString(),
          workflow_id: `workflow-${index % 3}`,
          cost_usd: "0.01",
        }),
      ),
    },
  },
  {
    method: "POST",
    path: "/v1/edge/decision",
    body: { request_id: "held", estimate: { cost_usd: "2" }, hold_seconds: 86_400 },
  },
];

/** What is read back, and must exist in every later version. */
export const READ: readonly string[] = [
  "/v1/orgs/{org}",
  "/v1/orgs/{org}/keys/{key}",
  "/v1/orgs/{org}/models",
  "/v1/orgs/{org}/budgets",
  "/v1/orgs/{org}/customer-limits",
  "/v1/orgs/{org}/credit-packs",
  "/v1/orgs/{org}/chain-budget",
  "/v1/orgs/{org}/webhooks",
  "/v1/orgs/{org}/policy-rules",
  "/v1/orgs/{org}/content-safety",
  "/v1/orgs/{org}/retention-policy",
  "/v1/orgs/{org}/rate-limits",
  "/v1/runs?limit=200",
  "/v1/runs?limit=200&workflow_id=triage",
  "/v1/runs?limit=200&sort=cost_usd",
  "/v1/runs/run-full",
  "/v1/runs/run-child",
];

/** Fields that change by themselves over time. */
export const PASSING: ReadonlySet<string> = new Set([
  "available",
  "available_usd",
  "next_cursor",
  "read_used",
  "reserved",
  "reserved_usd",
]);
