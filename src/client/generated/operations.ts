/** Written by `npm run generate` from the contract. Do not edit. */

/**
 * Method, path and flags of each operation. `b`: takes a body, `q`: takes a query, `i`: takes an `Idempotency-Key`,
 * `r`: the body takes a `request_id`, `a`: its asks do, `t`: twice does no more than once, `p`: answers with pages,
 * `s`: answers with a stream, `f`: does so where its query asks for another `format` than JSON.
 */
export const OPERATIONS = {
  adjustments: {
    create: "POST /v1/runs/{run_id}/adjustments bi",
    list: "GET /v1/runs/{run_id}/adjustments qp",
  },
  adminBenchmarks: {
    create: "POST /v1/admin/benchmarks/cohorts b",
    setMembers: "PUT /v1/admin/benchmarks/cohorts/{cohort_id}/members b",
  },
  adminOrgs: {
    create: "POST /v1/admin/orgs bi",
    list: "GET /v1/admin/orgs qp",
    backup: "GET /v1/admin/orgs/{org_id}/backup s",
    import: "POST /v1/admin/orgs/import",
    move: "POST /v1/admin/orgs/{org_id}/move b",
    undoMove: "DELETE /v1/admin/orgs/{org_id}/move",
    restore: "POST /v1/admin/orgs/{org_id}/restore b",
    get: "GET /v1/admin/orgs/{org_id}",
    change: "PATCH /v1/admin/orgs/{org_id} b",
    suspend: "POST /v1/admin/orgs/{org_id}/suspend bi",
    resume: "POST /v1/admin/orgs/{org_id}/resume bi",
    advanceTestClock: "POST /v1/admin/orgs/{org_id}/test-clock b",
  },
  adminOverview: {
    get: "GET /v1/admin/overview qp",
  },
  adminPepper: {
    list: "GET /v1/admin/pepper qp",
  },
  approvals: {
    list: "GET /v1/orgs/{id}/approvals qp",
    get: "GET /v1/orgs/{id}/approvals/{approval_id}",
    approve: "POST /v1/orgs/{id}/approvals/{approval_id}/approve bi",
    deny: "POST /v1/orgs/{id}/approvals/{approval_id}/deny bi",
  },
  auditLog: {
    list: "GET /v1/orgs/{id}/audit-log qp",
    export: "GET /v1/orgs/{id}/audit-log/export qs",
    verify: "GET /v1/orgs/{id}/audit-log/verify",
  },
  benchmarks: {
    getProfile: "GET /v1/orgs/{id}/benchmark-profile",
    setProfile: "PUT /v1/orgs/{id}/benchmark-profile b",
    list: "GET /v1/benchmarks/cohorts qp",
    get: "GET /v1/benchmarks/cohorts/{cohort_id}",
  },
  budgetIncreases: {
    create: "POST /v1/orgs/{id}/budgets/{budget_id}/increases bi",
    list: "GET /v1/orgs/{id}/budgets/{budget_id}/increases",
    get: "GET /v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}",
    revoke: "DELETE /v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id} i",
  },
  budgets: {
    create: "POST /v1/orgs/{id}/budgets bi",
    list: "GET /v1/orgs/{id}/budgets qp",
    get: "GET /v1/orgs/{id}/budgets/{budget_id}",
    change: "PATCH /v1/orgs/{id}/budgets/{budget_id} bi",
    delete: "DELETE /v1/orgs/{id}/budgets/{budget_id} i",
    listGroups: "GET /v1/orgs/{id}/budgets/{budget_id}/groups qp",
  },
  chainBudget: {
    get: "GET /v1/orgs/{id}/chain-budget",
    set: "PUT /v1/orgs/{id}/chain-budget b",
    delete: "DELETE /v1/orgs/{id}/chain-budget",
  },
  consoleLinks: {
    create: "POST /v1/orgs/{id}/console-links",
  },
  contentSafety: {
    get: "GET /v1/orgs/{id}/content-safety",
    set: "PUT /v1/orgs/{id}/content-safety b",
    evaluate: "POST /v1/orgs/{id}/content-safety/evaluate bt",
  },
  creditPacks: {
    create: "POST /v1/orgs/{id}/credit-packs bi",
    list: "GET /v1/orgs/{id}/credit-packs qp",
    get: "GET /v1/orgs/{id}/credit-packs/{pack_id}",
    void: "POST /v1/orgs/{id}/credit-packs/{pack_id}/void bi",
  },
  customerLimits: {
    create: "POST /v1/orgs/{id}/customer-limits bi",
    list: "GET /v1/orgs/{id}/customer-limits qp",
    get: "GET /v1/orgs/{id}/customer-limits/{limit_id}",
    change: "PATCH /v1/orgs/{id}/customer-limits/{limit_id} bi",
    delete: "DELETE /v1/orgs/{id}/customer-limits/{limit_id} i",
  },
  customers: {
    list: "GET /v1/orgs/{id}/customers qp",
    get: "GET /v1/orgs/{id}/customers/{customer_id} q",
    set: "PUT /v1/orgs/{id}/customers/{customer_id} b",
    mintToken: "POST /v1/orgs/{id}/customers/{customer_id}/tokens bi",
    own: "GET /v1/customer",
    ownUsage: "GET /v1/customer/usage qf",
  },
  decisions: {
    decide: "POST /v1/edge/decision br",
    decideMany: "POST /v1/edge/decisions ba",
    renew: "POST /v1/edge/decision/{reservation_id}/renew bt",
    release: "DELETE /v1/edge/decision/{reservation_id}",
  },
  deprecatedCalls: {
    list: "GET /v1/orgs/{id}/deprecated-calls",
  },
  deprecations: {
    list: "GET /v1/meta/deprecations",
    flag: "PUT /v1/admin/deprecations b",
  },
  digests: {
    put: "PUT /v1/orgs/{id}/digests/{name} b",
    get: "GET /v1/orgs/{id}/digests/{name}",
    list: "GET /v1/orgs/{id}/digests qp",
    delete: "DELETE /v1/orgs/{id}/digests/{name}",
    preview: "POST /v1/orgs/{id}/digests/{name}/preview",
  },
  edgeFallbacks: {
    find: "POST /v1/edge/fallbacks bt",
  },
  edgeLeases: {
    exchange: "POST /v1/edge/leases b",
  },
  events: {
    list: "GET /v1/orgs/{id}/events qp",
  },
  explain: {
    explain: "POST /v1/orgs/{id}/explain bt",
  },
  exports: {
    list: "GET /v1/orgs/{id}/exports qp",
    put: "PUT /v1/orgs/{id}/exports/{name} b",
    get: "GET /v1/orgs/{id}/exports/{name}",
    delete: "DELETE /v1/orgs/{id}/exports/{name}",
    windows: "GET /v1/orgs/{id}/exports/{name}/windows qp",
  },
  extAuthz: {
    check: "POST /v1/edge/ext-authz",
  },
  fallbacks: {
    list: "GET /v1/orgs/{id}/fallbacks qp",
    put: "PUT /v1/orgs/{id}/fallbacks/{name} bi",
    get: "GET /v1/orgs/{id}/fallbacks/{name}",
    delete: "DELETE /v1/orgs/{id}/fallbacks/{name} i",
  },
  forecasts: {
    linear: "GET /v1/forecast q",
    capacity: "GET /v1/capacity/forecasts q",
  },
  guardrail: {
    check: "POST /v1/edge/guardrail b",
  },
  keys: {
    mint: "POST /v1/orgs/{id}/keys bi",
    list: "GET /v1/orgs/{id}/keys qp",
    get: "GET /v1/orgs/{id}/keys/{key_id}",
    revoke: "DELETE /v1/orgs/{id}/keys/{key_id} i",
    rotate: "POST /v1/orgs/{id}/keys/{key_id}/rotate bi",
  },
  limits: {
    list: "GET /v1/orgs/{id}/limits q",
  },
  meta: {
    errors: "GET /v1/meta/errors",
    openapi: "GET /v1/openapi.json",
  },
  models: {
    get: "GET /v1/orgs/{id}/models/{model}",
    list: "GET /v1/orgs/{id}/models qp",
    set: "PUT /v1/orgs/{id}/models/{model} b",
    delete: "DELETE /v1/orgs/{id}/models/{model}",
    prices: "GET /v1/orgs/{id}/models/{model}/prices qp",
  },
  orgMetrics: {
    get: "GET /v1/orgs/{id}/metrics s",
  },
  orgs: {
    get: "GET /v1/orgs/{id}",
    change: "PATCH /v1/orgs/{id} b",
  },
  plans: {
    get: "GET /v1/orgs/{id}/plan",
    list: "GET /v1/admin/plans qp",
    set: "PUT /v1/admin/plans/{plan} b",
  },
  policyRules: {
    create: "POST /v1/orgs/{id}/policy-rules bi",
    list: "GET /v1/orgs/{id}/policy-rules qp",
    evaluate: "POST /v1/orgs/{id}/policy-rules/evaluate bt",
    get: "GET /v1/orgs/{id}/policy-rules/{rule_id}",
    change: "PATCH /v1/orgs/{id}/policy-rules/{rule_id} bi",
    delete: "DELETE /v1/orgs/{id}/policy-rules/{rule_id} i",
  },
  priceBook: {
    get: "GET /v1/admin/price-book",
    set: "PUT /v1/admin/price-book b",
  },
  prices: {
    resolve: "GET /v1/orgs/{id}/prices/resolve q",
  },
  providerKeys: {
    list: "GET /v1/orgs/{id}/provider-keys qp",
    put: "PUT /v1/orgs/{id}/provider-keys/{provider} b",
    get: "GET /v1/orgs/{id}/provider-keys/{provider}",
    delete: "DELETE /v1/orgs/{id}/provider-keys/{provider}",
  },
  quota: {
    get: "GET /v1/orgs/{id}/quota",
    set: "PUT /v1/orgs/{id}/quota b",
    delete: "DELETE /v1/orgs/{id}/quota",
    topUp: "POST /v1/orgs/{id}/quota/top-ups bi",
  },
  rateLimits: {
    get: "GET /v1/admin/orgs/{org_id}/rate-limits",
    set: "PUT /v1/admin/orgs/{org_id}/rate-limits b",
    getOwn: "GET /v1/orgs/{id}/rate-limits",
  },
  refusals: {
    list: "GET /v1/orgs/{id}/refusals qp",
    summary: "GET /v1/orgs/{id}/refusals/summary q",
  },
  residency: {
    get: "GET /v1/orgs/{id}/residency",
    set: "PUT /v1/orgs/{id}/residency b",
  },
  retentionPolicy: {
    get: "GET /v1/orgs/{id}/retention-policy",
    set: "PUT /v1/orgs/{id}/retention-policy b",
  },
  routing: {
    getPolicy: "GET /v1/orgs/{id}/routing-policy",
    setPolicy: "PUT /v1/orgs/{id}/routing-policy b",
    recordEval: "POST /v1/orgs/{id}/evals bi",
    listEvals: "GET /v1/orgs/{id}/evals qp",
    select: "POST /v1/routing/select b",
  },
  runs: {
    record: "POST /v1/runs bi",
    recordBulk: "POST /v1/runs/bulk bi",
    list: "GET /v1/runs qp",
    export: "GET /v1/runs/export qs",
    get: "GET /v1/runs/{id}",
  },
  sessions: {
    list: "GET /v1/orgs/{id}/sessions qp",
    revoke: "DELETE /v1/orgs/{id}/sessions/{session_id}",
    own: "GET /v1/console/session",
  },
  spendCap: {
    get: "GET /v1/orgs/{id}/spend-cap",
    set: "PUT /v1/orgs/{id}/spend-cap b",
    delete: "DELETE /v1/orgs/{id}/spend-cap",
  },
  sso: {
    get: "GET /v1/orgs/{id}/sso",
    put: "PUT /v1/orgs/{id}/sso b",
  },
  support: {
    openGrant: "POST /v1/orgs/{id}/support-grants bi",
    listGrants: "GET /v1/orgs/{id}/support-grants qp",
    closeGrant: "DELETE /v1/orgs/{id}/support-grants/{grant_id} i",
    openSession: "POST /v1/admin/support-sessions b",
    presence: "GET /v1/orgs/{id}/support-presence",
  },
  unusualSpend: {
    get: "GET /v1/orgs/{id}/unusual-spend",
    put: "PUT /v1/orgs/{id}/unusual-spend b",
  },
  usage: {
    get: "GET /v1/orgs/{id}/usage q",
    report: "GET /v1/orgs/{id}/usage/report qf",
    top: "GET /v1/orgs/{id}/usage/top q",
    names: "GET /v1/orgs/{id}/usage/names q",
    unusual: "GET /v1/orgs/{id}/usage/unusual q",
  },
  webhookSecret: {
    get: "GET /v1/admin/orgs/{org_id}/webhook-secret",
    rotate: "POST /v1/admin/orgs/{org_id}/webhook-secret/rotate i",
  },
  webhooks: {
    create: "POST /v1/orgs/{id}/webhooks bi",
    list: "GET /v1/orgs/{id}/webhooks qp",
    get: "GET /v1/orgs/{id}/webhooks/{sub_id}",
    change: "PATCH /v1/orgs/{id}/webhooks/{sub_id} bi",
    delete: "DELETE /v1/orgs/{id}/webhooks/{sub_id} i",
    getSigning: "GET /v1/orgs/{id}/webhooks/{sub_id}/signing",
    rotateSigning: "POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate bi",
    test: "POST /v1/orgs/{id}/webhooks/{sub_id}/test",
    listDeliveries: "GET /v1/orgs/{id}/webhooks/{sub_id}/deliveries qp",
    replayDelivery: "POST /v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/replay",
    recover: "POST /v1/orgs/{id}/webhooks/{sub_id}/recover bi",
  },
} as const;
