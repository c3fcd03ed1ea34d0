/**
 * The error catalog: the one list of what a caller can be told. The envelope, the typed refusals, the OpenAPI
 * responses and `GET /v1/meta/errors` are computed from it. Codes, statuses and details fields are frozen in /v1.
 */

interface ErrorSpec {
  readonly statuses: readonly [number, ...number[]];
  /**
   * The field says whether sending the same request again can succeed by itself: never, after `Retry-After`, or with
   * backoff.
   */
  readonly retry: "never" | "after_interval" | "with_backoff";
  readonly message: string;
}

export const ERRORS = {
  bad_request: {
    statuses: [400],
    retry: "never",
    message: "The request is malformed. Check it against the documentation of this operation.",
  },
  unauthorized: {
    statuses: [401],
    retry: "never",
    message: "No valid API key was sent. Send `Authorization: Bearer <API_KEY>`.",
  },
  key_expired: {
    statuses: [401],
    retry: "never",
    message: "This API key is expired or not yet valid. Use a key that is valid now.",
  },
  session_revoked: {
    statuses: [401],
    retry: "never",
    message: "This console session was revoked or has expired. Sign in again.",
  },
  forbidden: {
    statuses: [403],
    retry: "never",
    message: "The role of this key does not allow this operation.",
  },
  missing_scope: {
    statuses: [403],
    retry: "never",
    message:
      "This key lacks a required scope. Scopes are fixed when a key is created: create a key that has details.required.",
  },
  ip_not_allowed: {
    statuses: [403],
    retry: "never",
    message: "The caller's address is outside the organization's allow-list.",
  },
  org_suspended: {
    statuses: [403],
    retry: "never",
    message: "This organization is suspended. Contact the operator of the service.",
  },
  residency_violation: {
    statuses: [403],
    retry: "never",
    message: "The organization's residency rule does not allow this operation in this region.",
  },
  policy_blocked: {
    statuses: [403],
    retry: "never",
    message: "A policy rule of the organization blocks this model or action.",
  },
  policy_approval_required: {
    statuses: [403],
    retry: "never",
    message: "A policy rule requires approval. Once approved, the same attempt is allowed.",
  },
  content_safety_blocked: {
    statuses: [403],
    retry: "never",
    message: "A content safety detector matched the input.",
  },
  support_scope_denied: {
    statuses: [403],
    retry: "never",
    message:
      "This operation is outside the scope of the support grant. Ask an owner for a grant with a wider scope.",
  },
  not_found: {
    statuses: [404],
    retry: "never",
    message: "The route or resource does not exist, or this key cannot access it.",
  },
  conflict: {
    statuses: [409],
    retry: "never",
    message: "The operation conflicts with the current state of the resource.",
  },
  idempotency_key_conflict: {
    statuses: [409],
    retry: "never",
    message: "This Idempotency-Key was used with a different request. Use a new key for a new request.",
  },
  idempotency_key_processing: {
    statuses: [409],
    retry: "with_backoff",
    message: "A request with this Idempotency-Key is still in progress. Retry shortly to get its response.",
  },
  gone: {
    statuses: [410],
    retry: "never",
    message: "This resource is permanently unavailable.",
  },
  payload_too_large: {
    statuses: [413],
    retry: "never",
    message:
      "The body is larger than this operation accepts. Bulk operations accept batches: send smaller ones.",
  },
  validation_failed: {
    statuses: [422],
    retry: "never",
    message: "The request has invalid fields; see details.fields.",
  },
  insufficient_cohort_size: {
    statuses: [400],
    retry: "never",
    message: "The cohort has too few contributing organizations for an aggregate.",
  },
  spend_cap_exceeded: {
    statuses: [402],
    retry: "never",
    message: "The daily spend cap would be exceeded. It resets at details.resets_at.",
  },
  chain_budget_exceeded: {
    statuses: [402, 429],
    retry: "never",
    message: "The budget of this run chain would be exceeded.",
  },
  budget_exceeded: {
    statuses: [402],
    retry: "never",
    message: "A budget or customer limit for the period would be exceeded.",
  },
  quota_exhausted: {
    statuses: [402, 429],
    retry: "never",
    message: "A quota is exhausted: top up the prepaid balance, or wait for the window to end.",
  },
  credits_exhausted: {
    statuses: [402],
    retry: "never",
    message: "The customer's remaining credits cannot cover this charge.",
  },
  plan_limit_exceeded: {
    statuses: [402],
    retry: "never",
    message:
      "The plan's monthly entitlement is used up. It resets at the end of the month or when the plan changes.",
  },
  rate_limited: {
    statuses: [429],
    retry: "after_interval",
    message: "Too many requests. Retry after the interval in Retry-After.",
  },
  policy_expression_error: {
    statuses: [500],
    retry: "never",
    message: "A policy rule failed to evaluate. Fix or remove the rule named in details.rule_id.",
  },
  internal: {
    statuses: [500],
    retry: "never",
    message: "An internal error occurred. Quote the x-svc-trace-id header when you report it.",
  },
  no_model_passes_eval: {
    statuses: [503],
    retry: "never",
    message: "No eligible model meets the configured minimum eval score, and there is no fallback model.",
  },
  service_unavailable: {
    statuses: [503],
    retry: "with_backoff",
    message: "A dependency is unavailable. Retry with backoff.",
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;
export type StatusOf<C extends ErrorCode> = (typeof ERRORS)[C]["statuses"][number];
