/** Allowed values of fields that rules use too. Plain values, so that no rule loads zod. */

/** Calendar periods in UTC; `total` never resets. */
export const PERIODS = ["day", "week", "month", "quarter", "year", "total"] as const;

export const COHORT_METRICS = ["cost_per_run_usd", "tokens_per_run", "runs_per_day"] as const;

export const SCENARIOS = ["baseline", "growth", "constrained"] as const;
export const FORECAST_METRICS = ["usd", "runs", "tokens"] as const;

export const DETECTOR_ACTIONS = ["block", "shadow"] as const;
export const MOST_DETECTORS = 30;

/** The subjects of policy rules. */
export const TARGETS = ["model", "action"] as const;
/** Most restrictive first. */
export const EFFECTS = ["deny", "require_approval", "allow"] as const;
export const MODES = ["enforce", "shadow"] as const;

/** Methods of routes that can be deprecated. */
export const DEPRECABLE_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const SUPPORT_SCOPES = ["read_only", "billing_read", "runs_debug"] as const;

/** How many days each kind of record can be kept. */
export const RETENTION_BOUNDS = {
  runsDays: { min: 3, max: 1_095 },
  auditDays: { min: 90, max: 3_650 },
  deliveriesDays: { min: 7, max: 90 },
} as const;

/** How runs are exported. */
export const EXPORT_FORMATS = ["ndjson", "csv", "parquet", "focus"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_PERIODS = ["hour", "day"] as const;
export type ExportPeriod = (typeof EXPORT_PERIODS)[number];
/** An export to a receiver of telemetry has this in place of a file format: spans, sent soon after their cause. */
export const SPAN_FORMAT = "otlp";
export const SPAN_PERIOD = "minute";
/** Versions of the FinOps Open Cost and Usage Specification. */
export const FOCUS_VERSIONS = ["1.2", "1.4"] as const;
export type FocusVersion = (typeof FOCUS_VERSIONS)[number];

/** The checks of a decision: the limits that can refuse before a run, or everything that can refuse a run. */
export const DECISION_CHECKS = ["limits", "all"] as const;
/** How a run ended, as its caller says. Unknown: its answer was lost, and it may have been billed. */
export const REPORTED_OUTCOMES = ["completed", "cancelled", "failed", "unknown"] as const;
export const RUN_OUTCOMES = [...REPORTED_OUTCOMES, "unreported"] as const;
/** The ways to treat a reservation that is not settled. */
export const EXPIRY_ACTIONS = ["release", "charge"] as const;

/** The checks of a call, in their order. */
export const CHECK_NAMES = [
  "rate_limit",
  "policy",
  "content_safety",
  "plan",
  "chain",
  "quota",
  "spend_cap",
  "budget",
  "customer_limit",
  "credits",
] as const;

/** The periods that a customer's standing shows. */
export const SPENT_PERIODS = ["day", "week", "month"] as const;

/** Why a file of the archive could not be read or written. `unavailable`: the bucket did not answer. */
export const ARCHIVE_FAILURES = [
  "no_bucket",
  "missing",
  "wrong_size",
  "damaged",
  "unavailable",
  "not_written",
] as const;
export type ArchiveFailure = (typeof ARCHIVE_FAILURES)[number];

/**
 * Why the run of a call that was made is not recorded: the service rejected it, too many runs waited to be sent, or it waited
 * for too long.
 */
export const UNSETTLED_REASONS = ["rejected", "overflow", "expired"] as const;
export type UnsettledReason = (typeof UNSETTLED_REASONS)[number];

/** How sensitive an org is to unusual spend, and whose spend is looked at. */
export const SENSITIVITIES = ["off", "low", "normal", "high"] as const;
export const UNUSUAL_KINDS = ["org", "model", "customer", "key", "user"] as const;

/** The periods that digests are made of. */
export const DIGEST_PERIODS = ["day", "week", "month"] as const;
