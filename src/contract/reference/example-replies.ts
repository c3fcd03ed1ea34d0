const ULID = "01M7HTM37XKXAVSGTYB4RGP8HM";
const AT = "2026-11-16T09:00:00.000Z";

const VERDICT = {
  decision: "allow",
  decision_id: `dec_${ULID}`,
  reservation: { id: `rsv_${ULID}`, amount_usd: "0.01", expires_at: "2026-11-16T09:15:00.000Z" },
  limits: [{ kind: "budget", id: `bud_${ULID}`, available_usd: "237.10" }],
  evaluated_at: AT,
};

const BUDGET = {
  id: `bud_${ULID}`,
  name: "Support triage",
  scope_kind: "workflow",
  scope_id: "ticket-triage",
  match: null,
  group_by: [],
  unit: "usd",
  limit_usd: "250.00",
  limit: "250.00",
  increase: "0.00",
  period: "month",
  timezone: "UTC",
  anchor_day: null,
  mode: "enforce",
  alert_thresholds: ["0.8", "1"],
  spent_usd: "12.50",
  reserved_usd: "0.40",
  available_usd: "237.10",
  spent: "12.50",
  reserved: "0.40",
  available: "237.10",
  over: "0.00",
  period_start: "2026-11-01T00:00:00.000Z",
  period_end: "2026-12-01T00:00:00.000Z",
  count_from: "period_start",
  counts_since: "2026-11-01T00:00:00.000Z",
  status: "active",
  created_at: AT,
};

/** Where the fields of a reply depend on each other: a reply as callers get it. */
export const EXAMPLE_REPLIES: Readonly<Record<string, object>> = {
  "POST /v1/edge/decision": VERDICT,
  "POST /v1/edge/decisions": {
    results: [
      VERDICT,
      {
        error: {
          code: "budget_exceeded",
          message: "The budget for the period would be exceeded.",
          details: {
            budget_id: `bud_${ULID}`,
            scope_kind: "workflow",
            limit_usd: "250.00",
            spent_usd: "249.99",
            period_start: "2026-11-01T00:00:00.000Z",
            period_end: "2026-12-01T00:00:00.000Z",
          },
        },
      },
    ],
  },
  "POST /v1/runs/bulk": {
    accepted: 1,
    duplicates: 1,
    rejected: 0,
    results: [
      { index: 0, id: "run-2026-11-16-0001", status: "accepted" },
      { index: 1, id: "run-2026-11-16-0002", status: "duplicate" },
    ],
  },
  "POST /v1/orgs/{id}/budgets": BUDGET,
  "GET /v1/orgs/{id}/budgets/{budget_id}": BUDGET,
  "PATCH /v1/orgs/{id}/budgets/{budget_id}": BUDGET,
  "GET /v1/orgs/{id}/budgets": { data: [BUDGET], next_cursor: null },
};

/** How replies begin that are not JSON. */
export const MEDIA_EXAMPLES: Readonly<Record<string, string>> = {
  "application/x-ndjson": '{"id":"run-2026-11-16-0001","model":"gpt-4o-mini","cost_usd":"0.000084"}\n',
  "text/csv": "customer_id,cost_usd,runs\r\nglobex,12.50,4120\r\n",
  "application/vnd.apache.parquet": "PAR1",
  "application/octet-stream": "The bytes of the archive.",
  "text/plain": 'sluice_limit{kind="budget"} 250\n',
};
