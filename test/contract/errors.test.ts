import { expect, test } from "vitest";
import { DETAILS } from "../../src/contract/error-details.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { envelopeText, refusalHeaders, refuse } from "../../src/contract/refusal.ts";

/** The contract's catalog, as callers have it. */
const PUBLISHED: Record<string, [statuses: number[], details: string[]]> = {
  bad_request: [[400], []],
  unauthorized: [[401], []],
  key_expired: [[401], []],
  session_revoked: [[401], []],
  forbidden: [[403], []],
  missing_scope: [[403], ["required"]],
  ip_not_allowed: [[403], []],
  org_suspended: [[403], []],
  residency_violation: [[403], []],
  policy_blocked: [[403], ["reason", "attempted", "rule_id"]],
  policy_approval_required: [[403], ["reason", "attempted", "rule_id"]],
  content_safety_blocked: [[403], ["detector", "sample"]],
  support_scope_denied: [[403], ["reason", "scope", "method"]],
  not_found: [[404], []],
  conflict: [[409], []],
  idempotency_key_conflict: [[409], []],
  idempotency_key_processing: [[409], []],
  gone: [[410], []],
  payload_too_large: [[413], []],
  validation_failed: [[422], ["fields"]],
  insufficient_cohort_size: [[400], ["minimum_cohort_size"]],
  spend_cap_exceeded: [[402], ["cap_usd", "spent_usd", "resets_at"]],
  chain_budget_exceeded: [
    [402, 429],
    ["reason", "current", "attempted", "limit"],
  ],
  budget_exceeded: [
    [402],
    ["budget_id", "scope_kind", "limit_usd", "spent_usd", "period_start", "period_end"],
  ],
  quota_exhausted: [[402, 429], []],
  credits_exhausted: [[402], ["available_usd", "attempted_usd"]],
  plan_limit_exceeded: [[402], ["limit_kind", "limit", "used"]],
  rate_limited: [[429], ["retry_after_seconds"]],
  policy_expression_error: [[500], ["rule_id"]],
  internal: [[500], []],
  no_model_passes_eval: [[503], []],
  service_unavailable: [[503], []],
};

test("the catalog has the 32 published codes", () => {
  expect(Object.keys(ERRORS).sort()).toEqual(Object.keys(PUBLISHED).sort());
});

test.each(Object.entries(PUBLISHED))(
  "%s keeps its statuses and its details fields",
  (code, [statuses, fields]) => {
    const spec = ERRORS[code as keyof typeof ERRORS];
    expect(spec.statuses).toEqual(statuses);
    expect(spec.message).toMatch(/^[A-Z].*\.$/s);
    // A code with details does not accept an empty object: each field is in every response.
    if (fields.length > 0) {
      const details = DETAILS[code as keyof typeof DETAILS];
      const missing = details.safeParse({}).error?.issues.map((issue) => issue.path[0]) ?? [];
      expect(missing).toEqual(expect.arrayContaining(fields));
    }
  },
);

test("the envelope always has code, message and details", () => {
  expect(JSON.parse(envelopeText(refuse("not_found")))).toEqual({
    error: { code: "not_found", message: ERRORS.not_found.message, details: {} },
  });
});

test("Retry-After is present, and equal to the details, if waiting helps", () => {
  expect(refusalHeaders(refuse("rate_limited", { retry_after_seconds: 7 }))).toEqual({ "retry-after": "7" });
  expect(refusalHeaders(refuse("forbidden"))).toEqual({});
});
