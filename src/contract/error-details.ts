import * as z from "zod";
import { BUDGET_UNITS } from "./meter-kinds.ts";
import { MATCH_SCOPE, SPENDING_SCOPES } from "./scopes.ts";
import type { ErrorCode } from "./errors.ts";

const usd = z.string().meta({ description: "Dollars as a decimal string.", examples: ["12.50"] });
const none = z.object({});

const policyDetails = z.object({
  reason: z.string(),
  attempted: z.string().meta({ description: "The model or action that was attempted." }),
  rule_id: z.string().meta({ description: "The rule that decided." }),
});

const fieldError = z.object({
  field: z.string().meta({ description: "Path of the offending field, with dots and brackets." }),
  code: z.string().meta({
    description: "What is wrong with the field. New codes may be added.",
    examples: ["out_of_range"],
  }),
  message: z.string(),
});
export type FieldError = z.output<typeof fieldError>;

const attempted = z.number().int().optional().meta({
  description: "What the call asks for, if that is more than the whole limit. Then waiting does not help.",
});

const attemptedUsd = usd.optional().meta({
  description: "What the call may cost, if that is more than the whole limit. Then waiting does not help.",
});

const quotaDetails = z.union([
  z.object({ quota: z.literal("prepaid"), available_usd: usd, attempted_usd: usd }),
  z.object({
    quota: z.literal("window"),
    policy_id: z.string(),
    limit: z.number().int(),
    used: z.number().int(),
    window_seconds: z.number().int(),
    resets_at: z.string(),
    attempted,
  }),
  z.object({
    quota: z.literal("window"),
    unit: z.literal("usd").meta({ description: "The policy counts dollars." }),
    policy_id: z.string(),
    limit_usd: usd,
    used_usd: usd,
    window_seconds: z.number().int(),
    resets_at: z.string(),
    attempted_usd: attemptedUsd,
  }),
]);

/** The `details` of each error. Separate from the catalog, so that refusing loads no schemas. */
export const DETAILS = {
  bad_request: none,
  unauthorized: none,
  key_expired: none,
  session_revoked: none,
  forbidden: z.object({
    field: z.string().optional().meta({
      description: "In a run that settles a reservation: the field that names something else than that.",
    }),
  }),
  missing_scope: z.object({ required: z.string().meta({ description: "The scope that the key lacks." }) }),
  ip_not_allowed: none,
  org_suspended: none,
  residency_violation: none,
  policy_blocked: policyDetails,
  policy_approval_required: policyDetails.extend({
    approval_id: z
      .string()
      .optional()
      .meta({ description: "The pending approval. Once approved, the same attempt is allowed." }),
  }),
  content_safety_blocked: z.object({
    detector: z.string().meta({ description: "The detector that matched." }),
    sample: z.string().max(120).meta({ description: "The excerpt that matched." }),
  }),
  support_scope_denied: z.object({ reason: z.string(), scope: z.string(), method: z.string() }),
  not_found: none,
  conflict: none,
  idempotency_key_conflict: none,
  idempotency_key_processing: none,
  gone: none,
  payload_too_large: none,
  validation_failed: z.object({ fields: z.array(fieldError) }),
  insufficient_cohort_size: z.object({ minimum_cohort_size: z.number().int() }),
  spend_cap_exceeded: z.object({
    cap_usd: usd,
    spent_usd: usd,
    resets_at: z.string().meta({ description: "ISO-8601 timestamp with offset." }),
    reason: z.string().optional().meta({ description: "`pre_flight`: refused before cost was incurred." }),
  }),
  chain_budget_exceeded: z.object({
    reason: z.enum(["cost", "depth", "tokens"]).meta({ description: "The limit that was exceeded." }),
    current: z.union([z.string(), z.number().int()]),
    attempted: z.union([z.string(), z.number().int()]),
    limit: z.union([z.string(), z.number().int()]),
  }),
  budget_exceeded: z.object({
    budget_id: z.string(),
    scope_kind: z.enum([...SPENDING_SCOPES, MATCH_SCOPE]),
    limit_usd: usd,
    spent_usd: usd,
    unit: z.enum(BUDGET_UNITS).optional().meta({
      description: "What the budget counts, if not dollars. Then `limit` and `spent` say how much.",
    }),
    limit: z.number().int().optional(),
    spent: z.number().int().optional(),
    group: z.string().nullable().optional().meta({
      description: "The value whose counter is full, of a budget with `group_by`. Null: calls without one.",
    }),
    group_values: z
      .record(z.string(), z.string().nullable())
      .optional()
      .meta({ description: "The same, by the names in `group_by`." }),
    period_start: z.string(),
    period_end: z.string().nullable(),
  }),
  quota_exhausted: quotaDetails,
  credits_exhausted: z.object({ available_usd: usd, attempted_usd: usd }),
  plan_limit_exceeded: z.object({
    limit_kind: z.enum(["runs", "tokens"]),
    limit: z.number().int(),
    used: z.number().int(),
  }),
  rate_limited: z.object({
    retry_after_seconds: z.number().int().min(1),
    limit: z.number().int().optional().meta({ description: "Only with `attempted`." }),
    attempted,
    limit_usd: usd.optional().meta({ description: "Only with `attempted_usd`." }),
    attempted_usd: attemptedUsd,
  }),
  policy_expression_error: z.object({ rule_id: z.string() }),
  internal: none,
  no_model_passes_eval: none,
  service_unavailable: none,
} as const satisfies Record<ErrorCode, z.ZodType>;

export type DetailsOf<C extends ErrorCode> = z.output<(typeof DETAILS)[C]>;
