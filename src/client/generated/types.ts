/** Written by `npm run generate` from the contract. Do not edit. */
import type { Answer, CallOptions, ListOptions, Pages } from "../answer.ts";

export interface RunInput {
  /** Your id, unique in your organization. Generated if omitted. */
  readonly id?: string | undefined;
  /** RFC 3339 with a time zone. */
  readonly started_at: string;
  /** RFC 3339 with a time zone. */
  readonly ended_at?: string | undefined;
  /** The model's name, as in the price book. */
  readonly model: string;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | undefined;
  /** Who serves the model. */
  readonly provider?: string | undefined;
  /** At most 10, each with a name of 1 to 40 characters. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** The chain of runs that this one continues. */
  readonly chain?: {
    /** Your name of the chain. */
    readonly chain_id: string;
    /** The run before this one. If omitted, this run begins the chain. */
    readonly parent_run_id?: string | undefined;
  } | undefined;
  /** What the run used. Without `cost_usd` it is priced by the price book. */
  readonly usage: {
    /** All input tokens, parts included. */
    readonly input_tokens: number;
    /** All output tokens, parts included. */
    readonly output_tokens: number;
    /** A part of input_tokens. Parts do not overlap. */
    readonly cache_read_tokens?: number | undefined;
    /** A part of input_tokens. Parts do not overlap. */
    readonly cache_write_tokens?: number | undefined;
    /** A part of input_tokens. Parts do not overlap. */
    readonly cache_write_1h_tokens?: number | undefined;
    /** A part of input_tokens. Parts do not overlap. */
    readonly audio_input_tokens?: number | undefined;
    /** A part of input_tokens. Parts do not overlap. */
    readonly image_input_tokens?: number | undefined;
    /** A part of output_tokens. Parts do not overlap. */
    readonly reasoning_tokens?: number | undefined;
    /** A part of output_tokens. Parts do not overlap. */
    readonly audio_output_tokens?: number | undefined;
    /** A part of output_tokens. Parts do not overlap. */
    readonly image_output_tokens?: number | undefined;
    /** Counts of what is priced by the unit, such as `web_search`. */
    readonly units?: Readonly<Record<string, number>> | undefined;
  };
  /** The variant of the model's price, such as `batch`. If omitted: the standard rates. */
  readonly variant?: string | undefined;
  /** If omitted, the usage is priced from the price book. */
  readonly cost_usd?: string | undefined;
  /** The reservation that this run settles. */
  readonly reservation_id?: string | undefined;
  /** True if the cost was already incurred. The run is then recorded even if it exceeds a limit. */
  readonly incurred?: boolean | undefined;
  /** Scanned by content safety detectors. Never stored. */
  readonly input?: unknown;
  /** The approval that an earlier refusal named. */
  readonly approval_id?: string | undefined;
  /** How the run ended. If omitted: `completed`. */
  readonly outcome?: "completed" | "cancelled" | "failed" | "unknown" | undefined;
  /** True if usage and cost are estimates, such as after a stream was cut off. */
  readonly estimated?: boolean | undefined;
  /** The model that was asked for, if a fallback chose another model or provider. */
  readonly requested_model?: string | undefined;
  /** The name of the fallback that chose the model. */
  readonly fallback?: string | undefined;
  /** The trace and span that the run belongs to, for exports of spans. If omitted: the `traceparent` header of the request. Not returned. */
  readonly traceparent?: string | undefined;
  /** Anything that you want to keep with the run. It is returned as it was sent. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Each part is a value or a list of values. A call must match all of them; an empty match applies to every call. A model may end in `*`. */
export interface BudgetMatch {
  /** The model's name, as in the price book. */
  readonly model?: string | (readonly string[]) | undefined;
  /** Who serves the model. */
  readonly provider?: string | (readonly string[]) | undefined;
  /** A key of the organization. */
  readonly key_id?: string | (readonly string[]) | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | (readonly string[]) | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | (readonly string[]) | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | (readonly string[]) | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | (readonly string[]) | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | (readonly string[]) | undefined;
  /** Tags that a call must have, each with a value or a list of values. */
  readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
}

/** Which calls it applies to. Each part is a value or a list of values, and a call must match all of them. A model may end in `*`. */
export interface FallbackMatch {
  /** Who serves the model. */
  readonly provider?: string | (readonly string[]) | undefined;
  /** A key of the organization. */
  readonly key_id?: string | (readonly string[]) | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | (readonly string[]) | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | (readonly string[]) | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | (readonly string[]) | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | (readonly string[]) | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | (readonly string[]) | undefined;
  /** The model's name, as in the price book. */
  readonly model: string | (readonly string[]);
  /** Tags that a call must have, each with a value or a list of values. */
  readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
}

export interface FallbackModel {
  /** The model's name, as in the price book. */
  readonly model: string;
  /** Default: the provider of the call. */
  readonly provider?: string | null | undefined;
}

export interface UnusualSpendSettings {
  /** How far outside of the forecast's range spend must be. `off`: nothing is announced. */
  readonly sensitivity: "off" | "low" | "normal" | "high";
}

export interface Org {
  /** `org_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly plan: string;
  readonly environment: "live" | "test";
  readonly home_region: string;
  /** CIDR blocks. Empty allows every address. */
  readonly ip_allow_list: readonly string[];
  /** What decisions do that do not say it themselves. Omitted in lists. */
  readonly decision_defaults?: {
    readonly checks: "limits" | "all";
    readonly on_expiry: "release" | "charge";
  } | undefined;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface OverviewEntry {
  /** `org_` followed by a ULID. */
  readonly org_id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly plan: string;
  readonly environment: "live" | "test";
  readonly home_region: string;
  /** Dollars as a decimal string. */
  readonly month_to_date_usd: string;
  readonly runs_used: number;
  readonly runs_limit: number | null;
  readonly tokens_used: number;
  readonly tokens_limit: number | null;
  /** The larger part of the plan's runs or tokens that is used. Null if both are unlimited. */
  readonly plan_use: number | null;
  /** The last call with a key of the org, to about 5 seconds. */
  readonly last_call_at: string | null;
  /** Disabled after failures, or being retried. */
  readonly failing_webhooks: number;
  /** Keys that called deprecated routes in the last 30 days. */
  readonly deprecated_callers: number;
  readonly open_support_grants: number;
  /** Calls of the last minute with a key, session or token of the org, whatever org they named. Like those below, counted in memory. */
  readonly calls_per_minute: number;
  readonly refusals_per_minute: number;
  readonly errors_per_minute: number;
  /** Milliseconds that its slowest call waited, its own body included. Compute time is not part of it. */
  readonly slowest_wait_ms: number;
  readonly last_hour: {
    readonly calls: readonly number[];
    readonly refusals: readonly number[];
    readonly errors: readonly number[];
    /** Milliseconds that its slowest call waited, its own body included. Compute time is not part of it. */
    readonly slowest_wait_ms: number;
  } | null;
  /** When the org last told this. Null: not yet. */
  readonly as_of: string | null;
}

export interface PepperLeft {
  /** `org_` followed by a ULID. */
  readonly org_id: string;
  /** Secrets of valid keys that were not used since SVC_KEY_PEPPER changed. Each counts until it is used, replaced or revoked. */
  readonly keys_left: number;
  /** Sessions, links and tokens from before the change. They expire within a day; support sessions with their grant. */
  readonly tokens_left: number;
  /** Encrypted values and signatures from before the change. They are replaced in the background; stored responses expire within a day. */
  readonly sealed_left: number;
}

export interface RateLimits {
  readonly read_rpm: number | null;
  readonly policies: readonly {
    /** `rlp_` followed by a ULID. */
    readonly id: string;
    /** 1 to 200 characters. */
    readonly name: string;
    /** Which calls the policy counts. A call must match every part; `{}` is the whole organization. Beside `route`, `key_id` and `customer_id`, each part is a value or a list of values. A model may end in `*`. `"*"` alone counts each value separately, and no call without one; `each_key` does so for keys. At most two parts can have it. */
    readonly match: {
      readonly route?: string | undefined;
      readonly key_id?: string | undefined;
      /** Counts each key separately. */
      readonly each_key?: true | undefined;
      /** `"*"` counts each customer separately. */
      readonly customer_id?: string | undefined;
      readonly model?: string | (readonly string[]) | undefined;
      readonly provider?: string | (readonly string[]) | undefined;
      readonly user_id?: string | (readonly string[]) | undefined;
      readonly outcome?: ("completed" | "cancelled" | "failed" | "unknown" | ("*")) | (readonly ("completed" | "cancelled" | "failed" | "unknown" | ("*"))[]) | undefined;
      readonly workflow_id?: string | (readonly string[]) | undefined;
      readonly deployment_id?: string | (readonly string[]) | undefined;
      readonly department_id?: string | (readonly string[]) | undefined;
      readonly variant?: string | (readonly string[]) | undefined;
      readonly chain_id?: string | (readonly string[]) | undefined;
      /** Tags that a call must have, each with a value or a list of values. */
      readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
    };
    /** `usd`: dollars, a decision by its estimate until its run says what it cost. */
    readonly unit: "requests" | "tokens" | "usd";
    readonly limit: number;
    /** Only for dollars: the exact amount. */
    readonly limit_usd?: string | undefined;
    readonly window_seconds: number;
    /** `rate` is a sliding window and refuses with `rate_limited`. `quota` is a fixed window and refuses with `quota_exhausted`. */
    readonly kind: "rate" | "quota";
  }[];
}

export interface OwnRateLimits {
  readonly read_rpm: number | null;
  /** The read limit in effect. */
  readonly effective_read_rpm: number;
  /** Reads of the last minute. */
  readonly read_used: number;
  readonly policies: readonly {
    /** `rlp_` followed by a ULID. */
    readonly id: string;
    /** 1 to 200 characters. */
    readonly name: string;
    /** Which calls the policy counts. A call must match every part; `{}` is the whole organization. Beside `route`, `key_id` and `customer_id`, each part is a value or a list of values. A model may end in `*`. `"*"` alone counts each value separately, and no call without one; `each_key` does so for keys. At most two parts can have it. */
    readonly match: {
      readonly route?: string | undefined;
      readonly key_id?: string | undefined;
      /** Counts each key separately. */
      readonly each_key?: true | undefined;
      /** `"*"` counts each customer separately. */
      readonly customer_id?: string | undefined;
      readonly model?: string | (readonly string[]) | undefined;
      readonly provider?: string | (readonly string[]) | undefined;
      readonly user_id?: string | (readonly string[]) | undefined;
      readonly outcome?: ("completed" | "cancelled" | "failed" | "unknown" | ("*")) | (readonly ("completed" | "cancelled" | "failed" | "unknown" | ("*"))[]) | undefined;
      readonly workflow_id?: string | (readonly string[]) | undefined;
      readonly deployment_id?: string | (readonly string[]) | undefined;
      readonly department_id?: string | (readonly string[]) | undefined;
      readonly variant?: string | (readonly string[]) | undefined;
      readonly chain_id?: string | (readonly string[]) | undefined;
      /** Tags that a call must have, each with a value or a list of values. */
      readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
    };
    /** `usd`: dollars, a decision by its estimate until its run says what it cost. */
    readonly unit: "requests" | "tokens" | "usd";
    readonly limit: number;
    /** Only for dollars: the exact amount. */
    readonly limit_usd?: string | undefined;
    readonly window_seconds: number;
    /** `rate` is a sliding window and refuses with `rate_limited`. `quota` is a fixed window and refuses with `quota_exhausted`. */
    readonly kind: "rate" | "quota";
    /** Only for dollars: the exact amount. */
    readonly used_usd?: string | null | undefined;
    /** What its current window has counted. Null if it counts each of something separately. */
    readonly used: number | null;
    /** When a fixed window ends, with the offset `+00:00`. Null for a sliding one. */
    readonly resets_at: string | null;
    /** The five that use it most, where each of something is counted separately. */
    readonly busiest: readonly {
      readonly subject: string;
      readonly used: number;
      /** Only for dollars: the exact amount. */
      readonly used_usd?: string | null | undefined;
    }[];
  }[];
}

export interface KeyWithSecret {
  /** `key_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly role: "viewer" | "developer" | "admin" | "owner";
  readonly scopes: readonly (("decisions:evaluate") | ("org:read") | ("org:write") | ("keys:read") | ("keys:write") | ("runs:read") | ("runs:write") | ("budgets:read") | ("budgets:write") | ("customers:read") | ("customers:write") | ("credits:read") | ("credits:write") | ("quota:read") | ("quota:write") | ("limits:read") | ("limits:write") | ("policies:read") | ("policies:write") | ("approvals:read") | ("approvals:write") | ("webhooks:read") | ("webhooks:write") | ("audit:read") | ("audit:write") | ("retention:read") | ("retention:write") | ("routing:read") | ("routing:write") | ("benchmarks:read") | ("benchmarks:write") | ("forecasts:read") | ("forecasts:write") | ("support:read") | ("support:write") | ("provider-keys:read") | ("provider-keys:write"))[];
  readonly status: "active" | "not_yet_valid" | "expired" | "revoked";
  /** The last four characters of the key. */
  readonly last4: string;
  readonly not_before: string | null;
  readonly expires_at: string | null;
  /** When the previous secret stops working. */
  readonly previous_expires_at: string | null;
  readonly revoked_at: string | null;
  /** When it last made a call, to within an hour. Null: never, as far as is known. */
  readonly last_used_at: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** The key itself, returned only in this response. */
  readonly key: string;
}

export interface Key {
  /** `key_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly role: "viewer" | "developer" | "admin" | "owner";
  readonly scopes: readonly (("decisions:evaluate") | ("org:read") | ("org:write") | ("keys:read") | ("keys:write") | ("runs:read") | ("runs:write") | ("budgets:read") | ("budgets:write") | ("customers:read") | ("customers:write") | ("credits:read") | ("credits:write") | ("quota:read") | ("quota:write") | ("limits:read") | ("limits:write") | ("policies:read") | ("policies:write") | ("approvals:read") | ("approvals:write") | ("webhooks:read") | ("webhooks:write") | ("audit:read") | ("audit:write") | ("retention:read") | ("retention:write") | ("routing:read") | ("routing:write") | ("benchmarks:read") | ("benchmarks:write") | ("forecasts:read") | ("forecasts:write") | ("support:read") | ("support:write") | ("provider-keys:read") | ("provider-keys:write"))[];
  readonly status: "active" | "not_yet_valid" | "expired" | "revoked";
  /** The last four characters of the key. */
  readonly last4: string;
  readonly not_before: string | null;
  readonly expires_at: string | null;
  /** When the previous secret stops working. */
  readonly previous_expires_at: string | null;
  readonly revoked_at: string | null;
  /** When it last made a call, to within an hour. Null: never, as far as is known. */
  readonly last_used_at: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface Residency {
  /** Null allows every region. */
  readonly regions: (readonly string[]) | null;
  /** A region. */
  readonly home_region: string;
}

export interface CohortWithMembers {
  /** `coh_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly metric: "cost_per_run_usd" | "tokens_per_run" | "runs_per_day";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  readonly org_ids: readonly string[];
}

export interface BenchmarkProfile {
  readonly contributing: boolean;
  /** The month in which the last change takes effect. */
  readonly counts_from: string | null;
}

export interface Cohort {
  /** `coh_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly metric: "cost_per_run_usd" | "tokens_per_run" | "runs_per_day";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface CohortReading {
  /** `coh_` followed by a ULID. */
  readonly id: string;
  /** 1 to 200 characters. */
  readonly name: string;
  readonly metric: "cost_per_run_usd" | "tokens_per_run" | "runs_per_day";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** The month of these figures. */
  readonly month: string;
  /** A decimal string in dollars if the metric is money, otherwise a number. */
  readonly p25: string | number;
  /** A decimal string in dollars if the metric is money, otherwise a number. */
  readonly p50: string | number;
  /** A decimal string in dollars if the metric is money, otherwise a number. */
  readonly p75: string | number;
  /** Your own figure for that month. */
  readonly own_value: (string | number) | null;
}

export interface CapacityForecasts {
  readonly data: readonly {
    readonly scenario: "baseline" | "growth" | "constrained";
    readonly metric: "usd" | "runs" | "tokens";
    /** The model that best predicted the organization's own history. */
    readonly method: string;
    readonly trained_on_days: number;
    readonly points: readonly {
      /** A day in UTC. */
      readonly date: string;
      /** Dollars are decimal strings. Runs and tokens are whole numbers. */
      readonly p10: string | number;
      /** Dollars are decimal strings. Runs and tokens are whole numbers. */
      readonly p50: string | number;
      /** Dollars are decimal strings. Runs and tokens are whole numbers. */
      readonly p90: string | number;
    }[];
    /** The day each budget is used up at median usage and at high usage (p90), which is never later. Null if not within the horizon. */
    readonly exhaustion: readonly {
      readonly budget_id: string;
      readonly p50_date: string | null;
      readonly p90_date: string | null;
    }[];
    /** Usage over the horizon for multiples of today's capacity. */
    readonly diminishing_returns: {
      readonly exponent: number;
      readonly source: "fitted" | "assumed";
      readonly curve: readonly {
        readonly capacity: number;
        /** Dollars are decimal strings. Runs and tokens are whole numbers. */
        readonly total: string | number;
        readonly marginal: number;
      }[];
    };
  }[];
}

export interface Run {
  readonly id: string;
  /** RFC 3339 in UTC. */
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly model: string;
  readonly action: string | null;
  readonly workflow_id: string | null;
  readonly deployment_id: string | null;
  readonly department_id: string | null;
  readonly customer_id: string | null;
  readonly user_id: string | null;
  readonly provider: string | null;
  /** The key that reported the run. Null for runs from before it was stored. */
  readonly key_id: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly chain: {
    readonly chain_id: string;
    readonly parent_run_id: string | null;
    /** Position in the chain. The first run has depth 1. */
    readonly depth: number;
  } | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly cache_write_1h_tokens?: number | undefined;
    readonly audio_input_tokens?: number | undefined;
    readonly image_input_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly audio_output_tokens?: number | undefined;
    readonly image_output_tokens?: number | undefined;
    readonly units?: Readonly<Record<string, number>> | undefined;
  };
  readonly variant: string | null;
  /** Dollars as a decimal string. */
  readonly cost_usd: string;
  /** `caller`: the run was reported with its cost. */
  readonly cost_source: "caller" | "price_book";
  /** The revision of the model's price. Null if the caller gave the cost. */
  readonly price_revision: number | null;
  /** Adds up to `cost_usd`. Null if the caller gave the cost. */
  readonly cost_breakdown: (readonly {
    /** A class of tokens, or the name of a unit. */
    readonly class: string;
    readonly quantity: number;
    /** Dollars per million tokens, with the variant's factor. */
    readonly usd_per_mtok?: string | undefined;
    /** Dollars for one unit. */
    readonly usd_each?: string | undefined;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
  }[]) | null;
  /** The sum of the run's adjustments. Negative: given back. `cost_usd` stays as it was recorded. */
  readonly adjusted_usd: string;
  /** `cost_usd` with all adjustments. */
  readonly net_cost_usd: string;
  readonly reservation_id: string | null;
  readonly incurred: boolean;
  readonly approval_id: string | null;
  /** `unreported`: its reservation expired with `on_expiry: charge` and no run has settled it yet. */
  readonly outcome: "completed" | "cancelled" | "failed" | "unknown" | "unreported";
  /** True if the cost is an estimate, or what was reserved. */
  readonly estimated: boolean;
  /** The model that was asked for, if a fallback chose another model or provider. */
  readonly requested_model: string | null;
  /** The name of the fallback that chose the model. */
  readonly fallback: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** RFC 3339 in UTC. */
  readonly recorded_at: string;
  /** The run is charged to the periods that contain this time. */
  readonly charged_at: string;
  /** What the run took from each limit. */
  readonly charges: readonly {
    readonly kind: string;
    readonly id: string;
    /** Dollars as a decimal string. */
    readonly amount_usd?: string | undefined;
    /** The part that exceeded the limit. */
    readonly over_usd?: string | undefined;
    /** Number of runs or tokens. */
    readonly amount?: number | undefined;
    readonly over?: number | undefined;
  }[];
  /** What the customer's credits could not cover. */
  readonly uncovered_usd: string | null;
  /** Limits in shadow mode that would have refused. */
  readonly shadow: readonly Denial[];
}

export interface Denial {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Adjustment {
  /** `adj_` followed by a ULID. */
  readonly id: string;
  readonly run_id: string;
  /** Dollars as a decimal string. Negative: given back. */
  readonly amount_usd: string;
  readonly reason: string;
  /** The run's cost with this adjustment and those before it. */
  readonly net_cost_usd: string;
  /** What each limit was charged or given back, in the period of `created_at`. */
  readonly charges: readonly {
    readonly kind: string;
    readonly id: string;
    /** Dollars as a decimal string. Negative: given back. */
    readonly amount_usd: string;
    /** The part of it beyond the limit. */
    readonly over_usd?: string | undefined;
  }[];
  /** What the customer's credits could not cover, or less of that. */
  readonly uncovered_usd: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface KeptRefusal {
  /** `ref_` followed by a ULID. */
  readonly id: string;
  /** RFC 3339 in UTC. */
  readonly at: string;
  /** The `x-svc-trace-id` of the response. */
  readonly trace_id: string;
  /** `edge`: refused in the isolate that got the request. */
  readonly decided: "edge" | "object";
  readonly operation: string;
  readonly status: number;
  readonly code: string;
  /** The details of the error, without the excerpt of a content safety detector. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The id of the limit, rule or detector that refused. */
  readonly limit: string;
  readonly key_id: string | null;
  readonly model: string | null;
  readonly customer_id: string | null;
  readonly workflow_id: string | null;
  readonly department_id: string | null;
  readonly deployment_id: string | null;
  readonly user_id: string | null;
  /** What was asked for. Null if the call was refused before its body was read. */
  readonly amount_usd: string | null;
}

export interface RefusalSummary {
  /** RFC 3339 in UTC. */
  readonly from: string;
  /** RFC 3339 in UTC. */
  readonly to: string;
  readonly group_by: ("code" | "limit" | "customer_id" | "workflow_id" | "key_id") | null;
  readonly count: number;
  /** Dollars as a decimal string. */
  readonly amount_usd: string;
  /** Newest hour first, then most refusals first. */
  readonly data: readonly {
    /** The start of the hour. */
    readonly hour: string;
    /** The value of `group_by`. Null if there was none. */
    readonly group: string | null;
    /** True for customers or workflows that are counted together. */
    readonly is_other: boolean;
    readonly count: number;
    /** Dollars as a decimal string. */
    readonly amount_usd: string;
  }[];
}

export interface Explanation {
  readonly subject: "trace_id" | "refusal_id" | "reservation_id" | "run_id" | "ask";
  /** What was asked about. Null for an `ask`. */
  readonly id: string | null;
  readonly outcome: "allowed" | "refused";
  /** RFC 3339 in UTC. */
  readonly at: string;
  readonly amount_usd: string | null;
  /** The refusal, if one is kept. */
  readonly refusal: KeptRefusal | null;
  /** How many refusals the trace has, at most 1000. Without a `refusal_id`, the first refused run of a batch is explained. */
  readonly refusals: number;
  /** Every check, in the order in which they are made. */
  readonly checks: readonly ExplainedCheck[];
}

export interface ExplainedCheck {
  readonly check: "rate_limit" | "policy" | "content_safety" | "plan" | "chain" | "quota" | "spend_cap" | "budget" | "customer_limit" | "credits";
  /** The limit, rule or detector. Null if there is none. */
  readonly id: string | null;
  readonly name: string | null;
  readonly outcome: "passed" | "refused" | "skipped";
  readonly why: string;
  /** Dollars as a decimal string, or a number of runs, tokens, requests or levels. */
  readonly limit: string | number | null;
  /** Dollars as a decimal string, or a number of runs, tokens, requests or levels. */
  readonly spent: string | number | null;
  /** Dollars as a decimal string, or a number of runs, tokens, requests or levels. */
  readonly reserved: string | number | null;
  /** Dollars as a decimal string, or a number of runs, tokens, requests or levels. */
  readonly available: string | number | null;
  readonly resets_at: string | null;
  /** When the amounts were read. A check that refused shows the amounts at the refusal. All others show current amounts. */
  readonly as_of: string | null;
}

export interface Budget {
  /** `bud_` followed by a ULID. */
  readonly id: string;
  readonly name: string | null;
  /** `match`: see `match`. */
  readonly scope_kind: "org" | "workflow" | "deployment" | "department" | "match";
  readonly scope_id: string | null;
  /** Which calls it applies to. Null if its scope says. */
  readonly match: BudgetMatchOutput | null;
  /** Each value has its own counter. Empty: one for all. */
  readonly group_by: readonly string[];
  readonly unit: "usd" | "tokens" | "runs";
  /** Zero for a budget in another unit. */
  readonly limit_usd: string;
  /** In the budget's unit, without increases. */
  readonly limit: string | number;
  /** What temporary increases add to the limit now. */
  readonly increase: string | number;
  readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
  /** IANA time zone of its periods. */
  readonly timezone: string;
  /** The day on which its months (1 to 28) or weeks (1 is Monday) begin. Null: the first. */
  readonly anchor_day: number | null;
  readonly mode: "enforce" | "shadow";
  readonly alert_thresholds: readonly string[];
  /** Zero for a budget in another unit, or with `group_by`. */
  readonly spent_usd: string;
  /** Dollars as a decimal string. */
  readonly reserved_usd: string;
  /** Dollars as a decimal string. */
  readonly available_usd: string;
  /** In the budget's unit. Null with `group_by`. */
  readonly spent: (string | number) | null;
  /** In the budget's unit. Null with `group_by`. */
  readonly reserved: (string | number) | null;
  /** In the budget's unit. Null with `group_by`. */
  readonly available: (string | number) | null;
  /** The part of `spent` that is past the limit because it had already happened: of runs that settle a reservation or are reported as incurred, of adjustments, and of runs before the budget was created. Null with `group_by`. */
  readonly over: (string | number) | null;
  /** Only with `group_by`, where a budget is read or listed. */
  readonly counters?: {
    /** Of all counters together. */
    readonly spent: string | number;
    readonly reserved: string | number;
    /** The one with most in it. Null: nothing was counted in this period. */
    readonly fullest: BudgetGroup | null;
  } | undefined;
  /** RFC 3339 in UTC. */
  readonly period_start: string;
  readonly period_end: string | null;
  /** `period_start`: runs that were recorded before the budget was created count, too, as far as they belong to its period. */
  readonly count_from: "creation" | "period_start";
  /** From when it counts in the current period: `period_start`, or `created_at` if that is later. */
  readonly counts_since: string;
  readonly status: "active" | "exhausted";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface BudgetGroup {
  /** The value, or both, separated by a comma. Null: calls without one. */
  readonly group: string | null;
  readonly group_values: Readonly<Record<string, string | null>>;
  readonly spent: string | number;
  readonly reserved: string | number;
  readonly available: string | number;
  readonly status: "active" | "exhausted";
  /** RFC 3339 in UTC. */
  readonly period_start: string;
  readonly period_end: string | null;
}

export interface BudgetIncrease {
  /** `inc_` followed by a ULID. */
  readonly id: string;
  readonly budget_id: string;
  readonly amount: string | number;
  /** RFC 3339 in UTC. */
  readonly until: string;
  readonly reason: string;
  readonly status: "active" | "ended";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface SpendCap {
  /** Dollars as a decimal string. */
  readonly cap_usd: string;
  /** Dollars as a decimal string. */
  readonly spent_usd: string;
  /** Dollars as a decimal string. */
  readonly reserved_usd: string;
  /** Dollars as a decimal string. */
  readonly available_usd: string;
  readonly alert_thresholds: readonly string[];
  /** IANA time zone of the cap's day. */
  readonly timezone: string;
  /** The next midnight in that time zone, with a numeric offset. */
  readonly resets_at: string;
}

export interface CustomerLimit {
  /** `clm_` followed by a ULID. */
  readonly id: string;
  /** `"*"` applies to every customer without a limit of its own. */
  readonly customer_id: string;
  /** Dollars as a decimal string. */
  readonly limit_usd: string;
  readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
  readonly alert_thresholds: readonly string[];
  /** Null for `"*"`, which counts each customer separately. */
  readonly spent_usd: string | null;
  readonly reserved_usd: string | null;
  readonly available_usd: string | null;
  readonly over_usd: string | null;
  /** RFC 3339 in UTC. */
  readonly period_start: string;
  readonly period_end: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface CreditPack {
  /** `pack_` followed by a ULID. */
  readonly id: string;
  readonly customer_id: string;
  /** Dollars as a decimal string. */
  readonly amount_usd: string;
  /** Dollars as a decimal string. */
  readonly spent_usd: string;
  /** Held by open reservations. */
  readonly reserved_usd: string;
  /** What is neither spent nor reserved. */
  readonly remaining_usd: string;
  readonly priority: number;
  readonly alert_thresholds: readonly string[];
  /** RFC 3339 in UTC. */
  readonly effective_at: string;
  readonly expires_at: string | null;
  readonly voided_at: string | null;
  readonly status: "live" | "scheduled" | "expired" | "voided";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface Quota {
  /** Dollars as a decimal string. */
  readonly balance_usd: string;
  /** Dollars as a decimal string. */
  readonly reserved_usd: string;
  /** Dollars as a decimal string. */
  readonly available_usd: string;
  /** What runs that had already happened spent beyond the balance. */
  readonly overdrawn_usd: string;
  /** When the balance falls below this, `quota.low` is sent. */
  readonly low_balance_usd: string | null;
  /** Shares of all that was topped up. */
  readonly alert_thresholds: readonly string[];
}

export interface PlanInUse {
  readonly plan: string;
  /** Runs per month. Null for unlimited. */
  readonly runs_limit: number | null;
  /** Tokens per month. Null for unlimited. */
  readonly tokens_limit: number | null;
  readonly overage_policy: "block" | "allow";
  /** Shares of each of the two limits. */
  readonly alert_thresholds: readonly string[];
  readonly runs_used: number;
  readonly tokens_used: number;
  /** RFC 3339 in UTC. */
  readonly period_start: string;
  readonly period_end: string | null;
}

export interface Plan {
  readonly plan: string;
  /** Runs per month. Null for unlimited. */
  readonly runs_limit: number | null;
  /** Tokens per month. Null for unlimited. */
  readonly tokens_limit: number | null;
  readonly overage_policy: "block" | "allow";
  /** Shares of each of the two limits. */
  readonly alert_thresholds: readonly string[];
}

export interface ChainBudget {
  readonly max_cost_usd: string | null;
  readonly max_depth: number | null;
  readonly max_tokens: number | null;
}

export interface Model {
  readonly model: string;
  readonly provider: string | null;
  /** Price per million input tokens. */
  readonly input_usd_per_mtok: string;
  /** Price per million output tokens. */
  readonly output_usd_per_mtok: string;
  /** Null: priced at the input or output rate. */
  readonly cache_read_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly cache_write_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly cache_write_1h_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly audio_input_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly image_input_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly reasoning_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly audio_output_usd_per_mtok: string | null;
  /** Null: priced at the input or output rate. */
  readonly image_output_usd_per_mtok: string | null;
  readonly units: Readonly<Record<string, string>>;
  readonly tiers: readonly {
    readonly above_input_tokens: number;
    /** Dollars as a decimal string. */
    readonly input_usd_per_mtok: string;
    /** Dollars as a decimal string. */
    readonly output_usd_per_mtok: string;
    /** Null: priced at the input or output rate. */
    readonly cache_read_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_1h_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly reasoning_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_output_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_output_usd_per_mtok: string | null;
  }[];
  readonly variants: Readonly<Record<string, string>>;
  /** Null if it is not known. */
  readonly context_window: number | null;
  /** Null if it is not known. */
  readonly max_output_tokens: number | null;
  /** Regions that serve the model. Null for all regions. */
  readonly regions: (readonly string[]) | null;
  /** `org`: set by this organization. `platform`: from the platform's price book. */
  readonly source: "org" | "platform";
  /** The number that runs name as `price_revision`. */
  readonly revision: number;
  /** RFC 3339 in UTC. */
  readonly effective_at: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface PriceRevision {
  /** The number that runs name as `price_revision`. */
  readonly revision: number;
  readonly model: string;
  /** `org`: set by this organization. `platform`: from the platform's price book. */
  readonly source: "org" | "platform";
  readonly status: "current" | "scheduled" | "past";
  /** RFC 3339 in UTC. */
  readonly effective_at: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** If true, the organization has no price of its own from then on. */
  readonly removed: boolean;
  readonly provider?: string | null | undefined;
  /** Price per million input tokens. */
  readonly input_usd_per_mtok?: string | undefined;
  /** Price per million output tokens. */
  readonly output_usd_per_mtok?: string | undefined;
  /** Null: priced at the input or output rate. */
  readonly cache_read_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly cache_write_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly cache_write_1h_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly audio_input_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly image_input_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly reasoning_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly audio_output_usd_per_mtok?: string | null | undefined;
  /** Null: priced at the input or output rate. */
  readonly image_output_usd_per_mtok?: string | null | undefined;
  readonly units?: Readonly<Record<string, string>> | undefined;
  readonly tiers?: readonly {
    readonly above_input_tokens: number;
    /** Dollars as a decimal string. */
    readonly input_usd_per_mtok: string;
    /** Dollars as a decimal string. */
    readonly output_usd_per_mtok: string;
    /** Null: priced at the input or output rate. */
    readonly cache_read_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_1h_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly reasoning_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_output_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_output_usd_per_mtok: string | null;
  }[] | undefined;
  readonly variants?: Readonly<Record<string, string>> | undefined;
  /** Null if it is not known. */
  readonly context_window?: number | null | undefined;
  /** Null if it is not known. */
  readonly max_output_tokens?: number | null | undefined;
}

export interface ResolvedPrice {
  readonly model: string;
  readonly provider: string | null;
  /** If false, such a call is refused. */
  readonly priced: boolean;
  /** `provider_and_model`: a row of the provider has this name. `provider_rule`: an alias of such a row fits. `model`: the name alone. `model_rule`: the name alone, by an alias of the provider that it belongs to. */
  readonly matched_by: ("provider_and_model" | "provider_rule" | "model" | "model_rule") | null;
  /** The alias that the name fits. */
  readonly rule: string | null;
  readonly why: string;
  readonly price: {
    /** The name of the row. */
    readonly model: string;
    /** `org`: set by this organization. `platform`: from the platform's price book. */
    readonly source: "org" | "platform";
    /** The number that runs name as `price_revision`. */
    readonly revision: number;
    /** RFC 3339 in UTC. */
    readonly effective_at: string;
    readonly provider: string | null;
    /** Price per million input tokens. */
    readonly input_usd_per_mtok: string;
    /** Price per million output tokens. */
    readonly output_usd_per_mtok: string;
    /** Null: priced at the input or output rate. */
    readonly cache_read_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_1h_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly reasoning_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_output_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_output_usd_per_mtok: string | null;
    readonly units: Readonly<Record<string, string>>;
    readonly tiers: readonly {
      readonly above_input_tokens: number;
      /** Dollars as a decimal string. */
      readonly input_usd_per_mtok: string;
      /** Dollars as a decimal string. */
      readonly output_usd_per_mtok: string;
      /** Null: priced at the input or output rate. */
      readonly cache_read_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly cache_write_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly cache_write_1h_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly audio_input_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly image_input_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly reasoning_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly audio_output_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly image_output_usd_per_mtok: string | null;
    }[];
    readonly variants: Readonly<Record<string, string>>;
    /** Null if it is not known. */
    readonly context_window: number | null;
    /** Null if it is not known. */
    readonly max_output_tokens: number | null;
  } | null;
}

export interface PriceBook {
  /** 0 before the first. */
  readonly revision: number;
  readonly updated_at: string | null;
  readonly providers: readonly {
    readonly provider: string;
    readonly names: readonly string[];
    readonly models: readonly string[];
    readonly fallbacks: readonly string[];
    readonly hosts: boolean;
  }[];
  readonly models: readonly {
    readonly model: string;
    readonly aliases: readonly string[];
    readonly source: string | null;
    readonly provider: string | null;
    /** Price per million input tokens. */
    readonly input_usd_per_mtok: string;
    /** Price per million output tokens. */
    readonly output_usd_per_mtok: string;
    /** Null: priced at the input or output rate. */
    readonly cache_read_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly cache_write_1h_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_input_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly reasoning_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly audio_output_usd_per_mtok: string | null;
    /** Null: priced at the input or output rate. */
    readonly image_output_usd_per_mtok: string | null;
    readonly units: Readonly<Record<string, string>>;
    readonly tiers: readonly {
      readonly above_input_tokens: number;
      /** Dollars as a decimal string. */
      readonly input_usd_per_mtok: string;
      /** Dollars as a decimal string. */
      readonly output_usd_per_mtok: string;
      /** Null: priced at the input or output rate. */
      readonly cache_read_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly cache_write_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly cache_write_1h_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly audio_input_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly image_input_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly reasoning_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly audio_output_usd_per_mtok: string | null;
      /** Null: priced at the input or output rate. */
      readonly image_output_usd_per_mtok: string | null;
    }[];
    readonly variants: Readonly<Record<string, string>>;
    /** Null if it is not known. */
    readonly context_window: number | null;
    /** Null if it is not known. */
    readonly max_output_tokens: number | null;
  }[];
}

export interface Verdict {
  /** `deny` is returned only for a dry run. */
  readonly decision: "allow" | "deny";
  /** `dec_` followed by a ULID. */
  readonly decision_id: string;
  /** The reserved amount. Null for a dry run. */
  readonly reservation: {
    /** `rsv_` followed by a ULID. */
    readonly id: string;
    /** Dollars as a decimal string. */
    readonly amount_usd: string;
    /** RFC 3339 in UTC. */
    readonly expires_at: string;
    /** How many output tokens the amount is for. Only if the estimate has `min_output_tokens`: make the call with this bound. */
    readonly max_output_tokens?: number | undefined;
  } | null;
  /** How many output tokens would fit. Only of a dry run that is allowed and whose estimate has `min_output_tokens`. */
  readonly max_output_tokens?: number | undefined;
  readonly limits: readonly {
    readonly kind: string;
    readonly id: string;
    /** Dollars as a decimal string. */
    readonly available_usd?: string | undefined;
    readonly available?: number | undefined;
  }[];
  readonly would_deny?: Denial | null | undefined;
  /** Limits in shadow mode that would have refused. */
  readonly shadow?: readonly Denial[] | undefined;
  /** RFC 3339 in UTC. */
  readonly evaluated_at: string;
}

export interface LeaseReply {
  readonly version: 1;
  /** For how long, from when it asked, the gate may decide by what this reply says. */
  readonly valid_ms: number;
  /** What decisions of the organization are checked against by default. */
  readonly checks: "limits" | "all";
  /** What happens by default to reservations that are not settled. */
  readonly on_expiry: "release" | "charge";
  /** The fields of calls that limits of the organization count by, in alphabetical order. Limits of chains are not among them. */
  readonly counted_by: readonly ("model" | "provider" | "key_id" | "user_id" | "workflow_id" | "deployment_id" | "department_id" | "customer_id" | "variant" | "tags")[];
  /** Whether content safety reads the input of calls. */
  readonly scans_input: boolean;
  /** Whether runs are sent on as spans, so that a run's `traceparent` is of use. Absent: they are not. */
  readonly sends_spans?: true | undefined;
  /** What decides which fallbacks apply to calls. Absent: there are none. */
  readonly fallbacks?: {
    /** Changes with the rules. */
    readonly version: string;
    /** The fields of calls that decide which rules apply. */
    readonly by: readonly ("model" | "provider" | "key_id" | "user_id" | "workflow_id" | "deployment_id" | "department_id" | "customer_id" | "variant" | "tags")[];
    /** Whether some rule has a `budget_share`. */
    readonly shares: boolean;
  } | undefined;
  /** Reservation ids for the gate to use, each once. */
  readonly ids: readonly string[];
  /** Reported holds that no slice of this gate covers. They do not exist. */
  readonly refused: readonly string[];
  /** The answer to `ask`, and what the gate may learn from it. */
  readonly verdict: Readonly<Record<string, unknown>> | null;
  /** What was added to each slice. Null for a report that came late or twice. */
  readonly leases: Readonly<Record<string, unknown>> | null;
}

export interface GuardrailReply {
  /** `NONE` lets the call pass unchanged. */
  readonly action: "NONE" | "BLOCKED";
  readonly blocked_reason?: string | undefined;
  /** What refused the call, as a decision returns it. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  } | undefined;
  /** `dec_` followed by a ULID. */
  readonly decision_id?: string | undefined;
  readonly reservation?: {
    /** `rsv_` followed by a ULID. */
    readonly id: string;
    /** Dollars as a decimal string. */
    readonly amount_usd: string;
    /** RFC 3339 in UTC. */
    readonly expires_at: string;
  } | null | undefined;
}

export interface CreatedWebhook {
  /** `sub_` followed by a ULID. */
  readonly id: string;
  readonly kind: "webhook" | "email";
  readonly format: "sluice" | "slack" | "teams" | "discord" | "pagerduty" | "email";
  /** Who gets mails, of kind `email`. Addresses that are not confirmed get none, nor do those that unsubscribed by the link in a mail. */
  readonly to: readonly {
    readonly address: string;
    readonly confirmed: boolean;
    readonly unsubscribed: boolean;
  }[];
  /** Of a format of a product, only the host and the last characters. */
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: "enabled" | "disabled";
  /** `gone`: the receiver answered 410. `exhausted`: every attempt of a delivery failed. */
  readonly disabled_reason: ("requested" | "gone" | "exhausted") | null;
  /** True if its next delivery has failed at least once and is tried again, or if it was disabled because deliveries failed. */
  readonly failing: boolean;
  /** `v1` is deprecated. Rotate the secret to switch to `v2`. `none`: messages of a product are not signed. */
  readonly signing_scheme: "v1" | "v2" | "none";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
  /** The webhook's own signing secret, if it has one. Returned only in this response. */
  readonly secret?: string | undefined;
}

export interface Webhook {
  /** `sub_` followed by a ULID. */
  readonly id: string;
  readonly kind: "webhook" | "email";
  readonly format: "sluice" | "slack" | "teams" | "discord" | "pagerduty" | "email";
  /** Who gets mails, of kind `email`. Addresses that are not confirmed get none, nor do those that unsubscribed by the link in a mail. */
  readonly to: readonly {
    readonly address: string;
    readonly confirmed: boolean;
    readonly unsubscribed: boolean;
  }[];
  /** Of a format of a product, only the host and the last characters. */
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: "enabled" | "disabled";
  /** `gone`: the receiver answered 410. `exhausted`: every attempt of a delivery failed. */
  readonly disabled_reason: ("requested" | "gone" | "exhausted") | null;
  /** True if its next delivery has failed at least once and is tried again, or if it was disabled because deliveries failed. */
  readonly failing: boolean;
  /** `v1` is deprecated. Rotate the secret to switch to `v2`. `none`: messages of a product are not signed. */
  readonly signing_scheme: "v1" | "v2" | "none";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface WebhookSigning {
  readonly scheme: "v1" | "v2";
  readonly secret_last4: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** Until then, deliveries are also signed with the previous secret. */
  readonly previous_expires_at: string | null;
}

export interface RotatedWebhookSigning {
  readonly scheme: "v1" | "v2";
  readonly secret_last4: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** Until then, deliveries are also signed with the previous secret. */
  readonly previous_expires_at: string | null;
  /** The new secret, returned only in this response. */
  readonly secret: string;
}

export interface WebhookDelivery {
  /** `dlv_` followed by a ULID. */
  readonly id: string;
  /** `evt_` followed by a ULID. */
  readonly event_id: string;
  readonly event_type: "run.recorded" | "run.over_limit" | "reservation.expired" | "budget.threshold_crossed" | "budget.exceeded" | "spend_cap.exceeded" | "customer_limit.exceeded" | "credit_pack.depleted" | "credit_pack.expired" | "quota.low" | "quota.exhausted" | "plan.limit_reached" | "policy.blocked" | "policy.approval_requested" | "policy.approval_decided" | "safety.blocked" | "key.created" | "key.rotated" | "key.revoked" | "org.suspended" | "org.resumed" | "webhook.disabled" | "support.grant_opened" | "support.grant_closed" | "test.ping" | "run.adjusted" | "run.replaced" | "spend_cap.threshold_crossed" | "customer_limit.threshold_crossed" | "credit_pack.threshold_crossed" | "quota.threshold_crossed" | "plan.threshold_crossed" | "spend.unusual" | "digest.ready";
  /** `folded`: a later message about the same limit and window took its place before it was sent. */
  readonly status: "pending" | "succeeded" | "failed" | "folded";
  readonly attempts: number;
  /** The receiver's last response. */
  readonly response_status: number | null;
  /** How long the last attempt took. */
  readonly latency_ms: number | null;
  /** Why the last attempt got no response. */
  readonly error: string | null;
  readonly next_attempt_at: string | null;
  readonly replay_of: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly attempt_log: readonly {
    readonly attempt: number;
    /** RFC 3339 in UTC. */
    readonly at: string;
    readonly response_status: number | null;
    readonly latency_ms: number;
    readonly error: string | null;
    readonly response_excerpt: string;
  }[];
}

export interface RecoveredDeliveries {
  /** How many deliveries were queued. */
  readonly queued: number;
  /** Where to go on. Null: everything is queued. */
  readonly next_since: string | null;
}

export interface Event {
  /** `evt_` followed by a ULID. */
  readonly id: string;
  readonly type: "run.recorded" | "run.over_limit" | "reservation.expired" | "budget.threshold_crossed" | "budget.exceeded" | "spend_cap.exceeded" | "customer_limit.exceeded" | "credit_pack.depleted" | "credit_pack.expired" | "quota.low" | "quota.exhausted" | "plan.limit_reached" | "policy.blocked" | "policy.approval_requested" | "policy.approval_decided" | "safety.blocked" | "key.created" | "key.rotated" | "key.revoked" | "org.suspended" | "org.resumed" | "webhook.disabled" | "support.grant_opened" | "support.grant_closed" | "test.ping" | "run.adjusted" | "run.replaced" | "spend_cap.threshold_crossed" | "customer_limit.threshold_crossed" | "credit_pack.threshold_crossed" | "quota.threshold_crossed" | "plan.threshold_crossed" | "spend.unusual" | "digest.ready";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** `org_` followed by a ULID. */
  readonly org_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ErrorCatalogEntry {
  readonly code: string;
  readonly statuses: readonly number[];
  readonly retry: "never" | "after_interval" | "with_backoff";
  readonly message: string;
  /** JSON Schema of `error.details`. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface DeprecationEntry {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Route template. */
  readonly route: string;
  /** The date the deprecation took effect, `YYYY-MM-DD`. */
  readonly since: string;
  /** HTTP-date after which the route may be removed. */
  readonly sunset: string;
  /** Route template of the successor, if there is one. */
  readonly replacement?: string | undefined;
  /** Where the change is documented. */
  readonly documentation: string;
}

export interface PolicyRule {
  /** `rule_` followed by a ULID. */
  readonly id: string;
  /** What the rule applies to, and what a refusal names in `attempted`. */
  readonly target: "model" | "action";
  readonly effect: "allow" | "deny" | "require_approval";
  /** A CEL expression over `run`, `model`, `action`, `customer_id`, `estimate` and `now`. */
  readonly when: string;
  readonly reason: string;
  /** Among matching rules with the same effect, the one with the highest priority is named. */
  readonly priority: number;
  readonly mode: "enforce" | "shadow";
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface PolicyEvaluation {
  readonly decision: "allow" | "deny" | "require_approval" | "error";
  /** The rule that decided. Null if none matched. */
  readonly rule_id: string | null;
  readonly reason: string | null;
  readonly attempted: string;
  /** Why a rule could not be evaluated. */
  readonly message: string | null;
  readonly rules: readonly {
    readonly rule_id: string;
    readonly effect: "allow" | "deny" | "require_approval";
    readonly mode: "enforce" | "shadow";
    readonly priority: number;
    readonly result: "matched" | "not_matched" | "not_applicable" | "error";
    readonly message: string | null;
  }[];
  /** RFC 3339 in UTC. */
  readonly evaluated_at: string;
}

export interface Approval {
  /** `apr_` followed by a ULID. */
  readonly id: string;
  readonly rule_id: string;
  readonly status: "pending" | "approved" | "used" | "denied" | "expired";
  readonly reason: string;
  readonly attempted: string;
  readonly attempt: {
    readonly model: string;
    readonly action: string | null;
    readonly workflow_id: string | null;
    readonly deployment_id: string | null;
    readonly department_id: string | null;
    readonly customer_id: string | null;
    /** Null for an attempt outside a chain. */
    readonly chain: {
      readonly chain_id: string;
      readonly parent_run_id: string | null;
    } | null;
    readonly variant: string | null;
    /** Null if the attempt has none, or if it is longer than 4096 characters. */
    readonly metadata: Readonly<Record<string, unknown>> | null;
    /** True if the metadata is too long to be shown. */
    readonly metadata_omitted: boolean;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly input_tokens: number;
    readonly output_tokens: number;
  };
  readonly requested_by: string;
  /** RFC 3339 in UTC. */
  readonly requested_at: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly used_at: string | null;
  /** What whoever decided wrote about it. */
  readonly note: string | null;
}

export interface ContentSafety {
  readonly detectors: readonly ({
    readonly id: string;
    readonly kind: "builtin";
    readonly action: "block" | "shadow";
  } | {
    readonly id: string;
    readonly kind: "pattern";
    /** RE2 syntax. Matching takes linear time. */
    readonly pattern: string;
    readonly action: "block" | "shadow";
  })[];
  readonly updated_at: string | null;
}

export interface SafetyEvaluation {
  readonly decision: "allow" | "block";
  readonly detectors: readonly {
    readonly id: string;
    readonly kind: "builtin" | "pattern";
    readonly action: "block" | "shadow";
    /** `unfinished`: the input needs more work than one run may do. A detector that blocks then blocks. */
    readonly result: "found" | "nothing" | "unfinished";
    /** What it found. */
    readonly sample: string | null;
  }[];
}

export interface AuditEntry {
  /** `aud_` followed by a ULID. */
  readonly id: string;
  readonly seq: number;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  readonly action: string;
  readonly actor: {
    readonly kind: string;
    readonly id: string;
    readonly on_behalf_of: string | null;
  };
  readonly target: string | null;
  readonly outcome: "done" | "refused" | "read";
  readonly trace_id: string;
  readonly address: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly prev_hash: string;
  /** SHA-256 over this entry and the hash of the previous entry. */
  readonly hash: string;
}

export interface AuditVerification {
  readonly valid: boolean;
  /** How many entries were checked. */
  readonly checked: number;
  readonly last_seq: number;
  /** Store it elsewhere. A later export must still contain it. */
  readonly last_hash: string;
  readonly breaks: readonly {
    readonly kind: "changed" | "moved" | "dropped" | "appended";
    readonly seq: number;
    readonly entry_id: string | null;
    readonly message: string;
  }[];
  /** RFC 3339 in UTC. */
  readonly verified_at: string;
}

export interface RoutingPolicy {
  readonly candidates: readonly string[];
  readonly eval_gate: {
    readonly suite: string;
    /** The lower confidence bound of the score must reach this. */
    readonly min_score: number;
    readonly min_samples: number;
    readonly max_age_days: number;
  };
  readonly prefer: "cheapest" | "best";
  /** Used when no candidate passes. */
  readonly fallback_model?: string | undefined;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface EvalResult {
  readonly suite: string;
  readonly model: string;
  readonly score: number;
  readonly samples: number;
  /** RFC 3339 in UTC. */
  readonly run_at: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
}

export interface RoutingSelection {
  readonly model: string;
  readonly reason: "cheapest" | "best" | "fallback";
  readonly considered: readonly {
    readonly model: string;
    readonly eligible: boolean;
    readonly why: string;
  }[];
}

export interface RetentionPolicy {
  /** Days, 3 to 1095. */
  readonly runs_days: number;
  /** Days, 90 to 3650. */
  readonly audit_days: number;
  /** Days, 7 to 90. */
  readonly deliveries_days: number;
  /** Nothing is deleted while this is true. */
  readonly legal_hold: boolean;
  readonly updated_at: string | null;
}

export interface Usage {
  readonly by_day: readonly {
    readonly date: string;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    readonly tokens: number;
  }[];
  /** The 50 most expensive, most expensive first. */
  readonly by_model: readonly {
    readonly name: string;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    readonly tokens: number;
  }[];
  /** The 50 most expensive, most expensive first. */
  readonly by_workflow: readonly {
    readonly name: string;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    readonly tokens: number;
  }[];
}

export interface UsageReport {
  /** RFC 3339 in UTC. */
  readonly from: string;
  /** RFC 3339 in UTC. */
  readonly to: string;
  readonly timezone: string;
  readonly group_by: readonly string[];
  /** Runs recorded before this time were deleted under the retention policy. Null if none were. */
  readonly deleted_before: string | null;
  /** Whether cost, runs and tokens include deleted runs. So do tokens by class, unless a version that did not keep them has added to one of the days. False if `deleted_before` is null. */
  readonly includes_deleted: boolean;
  /** How many groups there are, returned or not. */
  readonly groups: number;
  /** Of all groups, returned or not. */
  readonly totals: {
    /** Negative if more was given back by adjustments than was spent. */
    readonly cost_usd: string;
    readonly runs: number;
    /** Input and output. */
    readonly tokens: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cache_write_1h_tokens: number;
    readonly audio_input_tokens: number;
    readonly image_input_tokens: number;
    readonly reasoning_tokens: number;
    readonly audio_output_tokens: number;
    readonly image_output_tokens: number;
    /** What cache reads and cheaper variants, such as batches, would have cost at the base rates, less what they cost. Of runs that the price book priced. */
    readonly saved_usd: string;
    /** What the customer pays for this time. Null if nobody has set it; in totals, of all customers that have it. Only in reports by customer, for keys with `customers:write`. */
    readonly revenue_usd?: string | null | undefined;
    /** `revenue_usd` less what the same customers cost. Null and absent like it. */
    readonly margin_usd?: string | null | undefined;
  };
  readonly data: readonly ({
    /** Negative if more was given back by adjustments than was spent. */
    readonly cost_usd: string;
    readonly runs: number;
    /** Input and output. */
    readonly tokens: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cache_write_1h_tokens: number;
    readonly audio_input_tokens: number;
    readonly image_input_tokens: number;
    readonly reasoning_tokens: number;
    readonly audio_output_tokens: number;
    readonly image_output_tokens: number;
    /** What cache reads and cheaper variants, such as batches, would have cost at the base rates, less what they cost. Of runs that the price book priced. */
    readonly saved_usd: string;
    /** What the customer pays for this time. Null if nobody has set it; in totals, of all customers that have it. Only in reports by customer, for keys with `customers:write`. */
    readonly revenue_usd?: string | null | undefined;
    /** `revenue_usd` less what the same customers cost. Null and absent like it. */
    readonly margin_usd?: string | null | undefined;
  } & Readonly<Record<string, string | number | null>>)[];
}

export interface CustomerStanding {
  readonly customer_id: string;
  readonly name: string | null;
  /** What the customer pays you. Null if nobody has set it. Absent for support, and for customers with a token. */
  readonly revenue?: {
    readonly usd_per_month: string | null;
    readonly markup: string | null;
  } | null | undefined;
  /** What it pays for the days asked for. Null without `revenue`. Absent for support, and for customers with a token. */
  readonly revenue_usd?: string | null | undefined;
  /** `revenue_usd` less what it cost on these days. Null without `revenue`. Absent for support, and for customers with a token. */
  readonly margin_usd?: string | null | undefined;
  /** Runs that started in the current day, week and month, in UTC. */
  readonly spent: readonly {
    readonly period: "day" | "week" | "month";
    /** RFC 3339 in UTC. */
    readonly period_start: string;
    readonly period_end: string | null;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    readonly runs: number;
    readonly tokens: number;
  }[];
  /** The limits that apply: its own, or those for `"*"`. */
  readonly limits: readonly {
    readonly id: string;
    readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
    /** Dollars as a decimal string. */
    readonly limit_usd: string;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    /** Dollars as a decimal string. */
    readonly reserved_usd: string;
    /** Dollars as a decimal string. */
    readonly available_usd: string;
    /** The part of `spent_usd` that is past the limit because it had already happened: of runs that settle a reservation or are reported as incurred, and of adjustments. */
    readonly over_usd: string;
    /** RFC 3339 in UTC. */
    readonly period_start: string;
    readonly period_end: string | null;
    /** When the limit starts over, with the offset `+00:00`. Null: never. */
    readonly resets_at: string | null;
  }[];
  /** Live and scheduled packs. Null if there is none. */
  readonly credits: {
    /** Of all live packs. */
    readonly remaining_usd: string;
    readonly packs: readonly CreditPack[];
  } | null;
  /** The UTC day on which its last run started, also if the run was deleted. */
  readonly last_run_on: string | null;
}

export interface Customer {
  readonly customer_id: string;
  readonly name: string | null;
  /** What the customer pays you. Null if nobody has set it. Absent for support, and for customers with a token. */
  readonly revenue?: {
    readonly usd_per_month: string | null;
    readonly markup: string | null;
  } | null | undefined;
  /** What it pays for the days asked for. Null without `revenue`. Absent for support, and for customers with a token. */
  readonly revenue_usd?: string | null | undefined;
  /** `revenue_usd` less what it cost on these days. Null without `revenue`. Absent for support, and for customers with a token. */
  readonly margin_usd?: string | null | undefined;
  /** Runs that started in the current day, week and month, in UTC. */
  readonly spent: readonly {
    readonly period: "day" | "week" | "month";
    /** RFC 3339 in UTC. */
    readonly period_start: string;
    readonly period_end: string | null;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    readonly runs: number;
    readonly tokens: number;
  }[];
  /** The limits that apply: its own, or those for `"*"`. */
  readonly limits: readonly {
    readonly id: string;
    readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
    /** Dollars as a decimal string. */
    readonly limit_usd: string;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    /** Dollars as a decimal string. */
    readonly reserved_usd: string;
    /** Dollars as a decimal string. */
    readonly available_usd: string;
    /** The part of `spent_usd` that is past the limit because it had already happened: of runs that settle a reservation or are reported as incurred, and of adjustments. */
    readonly over_usd: string;
    /** RFC 3339 in UTC. */
    readonly period_start: string;
    readonly period_end: string | null;
    /** When the limit starts over, with the offset `+00:00`. Null: never. */
    readonly resets_at: string | null;
  }[];
  /** Live and scheduled packs. Null if there is none. */
  readonly credits: {
    /** Of all live packs. */
    readonly remaining_usd: string;
    readonly packs: readonly CreditPack[];
  } | null;
  /** The UTC day on which its last run started, also if the run was deleted. */
  readonly last_run_on: string | null;
  /** Null if there is none, or retention deleted it. */
  readonly last_run: {
    readonly id: string;
    /** RFC 3339 in UTC. */
    readonly started_at: string;
    readonly model: string;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
  } | null;
}

export interface CustomerToken {
  /** A bearer token. Shown once. */
  readonly token: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
}

export interface Fallback {
  readonly name: string;
  readonly match: FallbackMatchOutput;
  readonly then: readonly {
    readonly model: string;
    readonly provider: string | null;
  }[];
  readonly on: readonly ("limit" | "provider_error" | "no_price")[];
  readonly budget_share: string | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface FallbackRule {
  readonly name: string;
  readonly then: readonly {
    readonly model: string;
    readonly provider: string | null;
  }[];
  readonly on: readonly ("limit" | "provider_error" | "no_price")[];
  /** Whether calls begin with the list, because a limit is used up to the rule's share. */
  readonly begins: boolean;
}

export interface ProviderKey {
  readonly provider: string;
  /** The last four characters of the secret. */
  readonly last4: string;
  readonly base_url: string | null;
  readonly header_names: readonly string[];
  readonly models: (readonly string[]) | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface ScheduledExport {
  readonly name: string;
  readonly format: "ndjson" | "csv" | "parquet" | "focus" | "otlp";
  readonly focus_version: ("1.2" | "1.4") | null;
  readonly every: "hour" | "day" | "minute";
  readonly destination: {
    readonly kind: "bucket";
    readonly prefix: string;
  } | {
    readonly kind: "s3";
    readonly endpoint: string;
    readonly bucket: string;
    readonly prefix: string;
    readonly region: string;
    readonly access_key_id: string;
  } | {
    readonly kind: "otlp";
    readonly endpoint: string;
    readonly prefix: string;
    readonly header_names: readonly string[];
  };
  /** Everything that was recorded before this time, since the export began, is written. */
  readonly written_to: string;
  /** For how long a closed window has not been written. 0: none. */
  readonly lag_seconds: number;
  /** Why the last attempt failed. Null: it did not. */
  readonly last_error: string | null;
  /** With a destination of kind otlp, since it was set. */
  readonly spans: {
    /** How many the receiver has taken. */
    readonly sent: number;
    /** How many it has rejected for good. */
    readonly rejected: number;
    /** How many waited for longer than a day, or were refusals that are counted only. */
    readonly dropped: number;
    readonly next_attempt_at: string | null;
  } | null;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface ExportWindow {
  /** RFC 3339 in UTC. */
  readonly from: string;
  /** Not included. */
  readonly to: string;
  readonly status: "pending" | "written";
  /** The name of the manifest, which is written last. */
  readonly manifest: string;
  /** How many are written, without the manifest. */
  readonly files: number;
  /** Of the files that are written. */
  readonly rows: number;
  /** The sum of what those rows cost. */
  readonly cost_usd: string;
  /** How many attempts have failed in a row. */
  readonly attempts: number;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly written_at: string | null;
}

export type SsoConnection = {
  readonly kind: "oidc";
  readonly issuer: string;
  readonly client_id: string;
  /** Always `****`. The secret is never returned. */
  readonly client_secret_last4: string;
  /** Allow this URI at the provider. */
  readonly redirect_uri: string;
  readonly default_role: "viewer" | "developer" | "admin";
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
  readonly sign_in_url: string;
} | {
  readonly kind: "saml";
  readonly idp_entity_id: string;
  readonly idp_sso_url: string;
  readonly idp_certificate: string;
  /** The metadata that the provider needs. */
  readonly metadata_url: string;
  readonly acs_url: string;
  readonly default_role: "viewer" | "developer" | "admin";
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
  readonly sign_in_url: string;
};

export interface LimitsInUse {
  /** What all open reservations hold. */
  readonly reserved_usd: string;
  /** How many limits there are, in all. */
  readonly count: number;
  /** Used up first, then what runs out next, then by the share that is used. */
  readonly data: readonly LimitInUse[];
}

export interface LimitInUse {
  readonly kind: "plan_runs" | "plan_tokens" | "quota" | "spend_cap" | "budget" | "customer_limit" | "credit_pack";
  readonly id: string;
  readonly name: string | null;
  readonly scope_kind: "org" | "department" | "workflow" | "deployment" | "customer" | "chain" | "match";
  /** Under a limit for `"*"`, the customer who is counted. */
  readonly scope_id: string | null;
  readonly period: string;
  readonly mode: "enforce" | "shadow";
  /** Dollars as a decimal string, or a number of runs or tokens. */
  readonly limit: string | number;
  /** Dollars as a decimal string, or a number of runs or tokens. */
  readonly spent: string | number;
  /** Dollars as a decimal string, or a number of runs or tokens. */
  readonly reserved: string | number;
  /** Dollars as a decimal string, or a number of runs or tokens. */
  readonly available: string | number;
  /** The share that is spent and reserved. Above 1 if facts exceeded it. */
  readonly used: number;
  /** What it counts began then. */
  readonly period_start: string;
  /** When it resets or expires, with the offset of its time zone. Null: never. */
  readonly resets_at: string | null;
  /** When it is used up at the pace of its current period. Null if not before it resets. */
  readonly runs_out_at: string | null;
  /** The day on which it is used up at median usage and at high usage (p90), in UTC. A date is null if it is not before the limit resets, or not in the next 30 days. Null without `forecast=true`, for limits that do not count dollars, and with less than 14 days of history. */
  readonly forecast: {
    readonly p50_date: string | null;
    readonly p90_date: string | null;
  } | null;
}

export interface UsageTop {
  readonly by: "model" | "workflow_id" | "deployment_id" | "department_id" | "customer_id";
  readonly from: string;
  readonly to: string;
  readonly previous_from: string;
  readonly previous_to: string;
  /** How many names there are, in all. */
  readonly groups: number;
  readonly totals: {
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    readonly tokens: number;
    /** Dollars as a decimal string. */
    readonly previous_cost_usd: string;
    readonly previous_runs: number;
  };
  /** The most expensive first, or what `sort` says. Null: all runs that name none. */
  readonly data: readonly {
    readonly name: string | null;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    readonly tokens: number;
    /** Dollars as a decimal string. */
    readonly previous_cost_usd: string;
    readonly previous_runs: number;
    /** What the customer pays for these days, until today. Null if nobody has set it. Only by customer, for whoever reads for the organization. */
    readonly revenue_usd?: string | null | undefined;
    /** `revenue_usd` less what the customer cost. Null and absent like it. */
    readonly margin_usd?: string | null | undefined;
  }[];
  readonly days: readonly {
    readonly date: string;
    /** Dollars as a decimal string. */
    readonly cost_usd: string;
    readonly runs: number;
    /** The names of `data` that spent on this day. */
    readonly parts: readonly {
      readonly name: string;
      /** Dollars as a decimal string. */
      readonly cost_usd: string;
    }[];
  }[];
}

export interface UsageNames {
  readonly by: "model" | "provider" | "key_id" | "user_id" | "workflow_id" | "deployment_id" | "department_id" | "customer_id";
  /** How many of the latest runs were looked at. */
  readonly runs: number;
  /** Names that are equal to `contains` first, then those that begin with it. Otherwise, names of later runs mostly come first. */
  readonly data: readonly {
    readonly name: string;
  }[];
}

export interface DigestSettings {
  readonly name: string;
  readonly every: "day" | "week" | "month";
  readonly at: string;
  readonly timezone: string;
  readonly to: readonly string[];
  /** When the next one is made. */
  readonly next_at: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly updated_at: string;
}

export interface Digest {
  readonly name: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** Dollars as a decimal string. */
  readonly spent_usd: string;
  /** What was spent in the period before. */
  readonly previous_usd: string;
  readonly by_model: readonly {
    readonly kind: "model" | "customer";
    /** Null: runs that name none. */
    readonly name: string | null;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    /** Dollars as a decimal string. */
    readonly previous_usd: string;
  }[];
  /** Models and customers, by how much their spend changed. */
  readonly changed_most: readonly {
    readonly kind: "model" | "customer";
    /** Null: runs that name none. */
    readonly name: string | null;
    /** Dollars as a decimal string. */
    readonly spent_usd: string;
    /** Dollars as a decimal string. */
    readonly previous_usd: string;
  }[];
  readonly runs_out: readonly {
    readonly limit_id: string;
    readonly name: string | null;
    readonly used: number;
    readonly runs_out_at: string | null;
  }[];
  readonly refused: readonly {
    readonly code: string;
    readonly count: number;
  }[];
  readonly unusual: readonly UnusualSpend[];
}

export interface UnusualSpend {
  readonly subject_kind: "org" | "model" | "customer" | "key" | "user";
  /** Null for the organization. */
  readonly subject_id: string | null;
  readonly date: string;
  /** When the hour began that is unusual: the figures are of it. Null: the day as a whole is unusual, and the figures are of the day. */
  readonly hour: string | null;
  readonly direction: "above" | "below";
  /** Dollars as a decimal string. */
  readonly spent_usd: string;
  /** Dollars as a decimal string. */
  readonly expected_usd: string;
  /** The forecast's range: four days in five are inside of it. */
  readonly low_usd: string;
  /** Dollars as a decimal string. */
  readonly high_usd: string;
}

export interface UnusualSpendList {
  readonly from: string;
  readonly to: string;
  readonly sensitivity: "off" | "low" | "normal" | "high";
  /** Whether keys, users and hours were looked at, too. Where about 100,000 runs or more of the last 35 days are not counted by hour yet, they are counted in the background, from the first time that this is asked, and kept up to date for as long as somebody asks once a week. Until then, and where archived runs cannot be read, it is false. */
  readonly complete: boolean;
  readonly data: readonly UnusualSpend[];
}

export interface ConsoleLink {
  /** Open it in a browser. It signs in once, as an owner. */
  readonly url: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
}

export interface Session {
  /** `ses_` followed by a ULID. */
  readonly id: string;
  readonly user: {
    readonly name: string;
    readonly email: string | null;
    /** The identity provider of the person. */
    readonly provider: string;
    /** The provider's id for the person. */
    readonly subject: string;
  };
  readonly role: "viewer" | "developer" | "admin" | "owner";
  /** The IP address that opened the session. */
  readonly address: string | null;
  /** Whether this is the session that made the request. */
  readonly current: boolean;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly last_seen_at: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
}

export interface OwnSession {
  /** `ses_` followed by a ULID. */
  readonly id: string;
  readonly user: {
    readonly name: string;
    readonly email: string | null;
    /** The identity provider of the person. */
    readonly provider: string;
    /** The provider's id for the person. */
    readonly subject: string;
  };
  readonly role: "viewer" | "developer" | "admin" | "owner";
  /** The IP address that opened the session. */
  readonly address: string | null;
  /** Whether this is the session that made the request. */
  readonly current: boolean;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly last_seen_at: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
  /** `org_` followed by a ULID. */
  readonly org_id: string;
  readonly org_name: string;
}

export interface SupportGrant {
  /** `grt_` followed by a ULID. */
  readonly id: string;
  readonly scope: "read_only" | "billing_read" | "runs_debug";
  readonly reason: string;
  readonly status: "active" | "closed" | "expired";
  readonly opened_by: string;
  /** RFC 3339 in UTC. */
  readonly created_at: string;
  /** RFC 3339 in UTC. */
  readonly expires_at: string;
  readonly closed_at: string | null;
  readonly last_used_at: string | null;
}

/** Each part is a value or a list of values. A call must match all of them; an empty match applies to every call. A model may end in `*`. */
export interface BudgetMatchOutput {
  readonly model?: string | (readonly string[]) | undefined;
  readonly provider?: string | (readonly string[]) | undefined;
  readonly key_id?: string | (readonly string[]) | undefined;
  readonly user_id?: string | (readonly string[]) | undefined;
  readonly workflow_id?: string | (readonly string[]) | undefined;
  readonly deployment_id?: string | (readonly string[]) | undefined;
  readonly department_id?: string | (readonly string[]) | undefined;
  readonly customer_id?: string | (readonly string[]) | undefined;
  /** Tags that a call must have, each with a value or a list of values. */
  readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
}

/** Which calls it applies to. Each part is a value or a list of values, and a call must match all of them. A model may end in `*`. */
export interface FallbackMatchOutput {
  readonly provider?: string | (readonly string[]) | undefined;
  readonly key_id?: string | (readonly string[]) | undefined;
  readonly user_id?: string | (readonly string[]) | undefined;
  readonly workflow_id?: string | (readonly string[]) | undefined;
  readonly deployment_id?: string | (readonly string[]) | undefined;
  readonly department_id?: string | (readonly string[]) | undefined;
  readonly customer_id?: string | (readonly string[]) | undefined;
  readonly model: string | (readonly string[]);
  /** Tags that a call must have, each with a value or a list of values. */
  readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
}

export interface UnusualSpendSettingsOutput {
  /** How far outside of the forecast's range spend must be. `off`: nothing is announced. */
  readonly sensitivity: "off" | "low" | "normal" | "high";
}

export type AdjustmentsCreateBody = {
  /** Dollars as a decimal string, with at most 9 decimal places. Negative: given back. */
  readonly amount_usd: string;
  /** Why, in your words. It is shown to whoever asks. */
  readonly reason: string;
};

export type AdjustmentsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
};

export type AdminBenchmarksCreateBody = {
  /** 1 to 200 characters. */
  readonly name: string;
  /** What the cohort compares. */
  readonly metric: "cost_per_run_usd" | "tokens_per_run" | "runs_per_day";
  /** The members. */
  readonly org_ids: readonly string[];
};

export type AdminBenchmarksSetMembersBody = {
  /** The members. */
  readonly org_ids: readonly string[];
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** What the cohort compares. */
  readonly metric?: "cost_per_run_usd" | "tokens_per_run" | "runs_per_day" | undefined;
};

export type AdminOrgsCreateBody = {
  /** 1 to 200 characters. */
  readonly name: string;
  /** A plan of the platform. */
  readonly plan?: string | undefined;
  /** Where the organization's data is. If omitted: the region that is called. */
  readonly home_region?: string | undefined;
  /** A `test` organization has a clock that can be moved. */
  readonly environment?: "live" | "test" | undefined;
};

export type AdminOrgsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "name" | "-name" | undefined;
  /** Only entries with this status. */
  readonly status?: "active" | "suspended" | undefined;
  /** Only organizations on this plan. */
  readonly plan?: string | undefined;
  /** Only organizations of this kind. */
  readonly environment?: "live" | "test" | undefined;
};

export type AdminOrgsMoveBody = {
  /** The region that becomes the organization's home. */
  readonly to: string;
  /** Says that you have copied the organization's files in the archive to the other region's bucket. Then its archived runs are not copied, and no file is deleted. */
  readonly archive_copied?: boolean | undefined;
};

export type AdminOrgsRestoreBody = {
  /** RFC 3339 with a time zone. */
  readonly at: string;
};

export type AdminOrgsChangeBody = {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** A plan of the platform. */
  readonly plan?: string | undefined;
};

export type AdminOrgsSuspendBody = Readonly<Record<string, never>>;

export type AdminOrgsResumeBody = Readonly<Record<string, never>>;

export type AdminOrgsAdvanceTestClockBody = {
  /** How far to move the clock. */
  readonly advance_seconds: number;
};

export type AdminOverviewGetQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "month_to_date_usd" | "-month_to_date_usd" | "plan_use" | "-plan_use" | "last_call_at" | "-last_call_at" | "failing_webhooks" | "-failing_webhooks" | "deprecated_callers" | "-deprecated_callers" | "open_support_grants" | "-open_support_grants" | "name" | "-name" | "calls_per_minute" | "-calls_per_minute" | "refusals" | "-refusals" | "errors" | "-errors" | "spend" | "-spend" | "slowest" | "-slowest" | undefined;
};

export type AdminPepperListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "name" | "-name" | undefined;
};

export type ApprovalsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "requested_at" | "-requested_at" | undefined;
  /** Only entries with this status. */
  readonly status?: "pending" | "approved" | "used" | "denied" | "expired" | undefined;
  /** The policy rule. */
  readonly rule_id?: string | undefined;
};

export type ApprovalsApproveBody = {
  /** Why, for the audit trail and for whoever asked. */
  readonly note?: string | undefined;
};

export type ApprovalsDenyBody = {
  /** Why, for the audit trail and for whoever asked. */
  readonly note?: string | undefined;
};

export type AuditLogListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Only what this key or person did. */
  readonly actor_id?: string | undefined;
  /** Only entries about this. */
  readonly target?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: "done" | "refused" | "read" | undefined;
  /** Only what the call with this trace id did. */
  readonly trace_id?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type AuditLogExportQuery = {
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from: string;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to: string;
  /** The form of the answer. */
  readonly format?: "ndjson" | "csv" | "ocsf" | undefined;
};

export type BenchmarksSetProfileBody = {
  /** Whether your organization's figures count in benchmarks. */
  readonly contributing: boolean;
};

export type BenchmarksListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
};

export type BudgetIncreasesCreateBody = {
  /** What is added to the limit: dollars as a decimal string, or a whole number of tokens or runs. */
  readonly amount: string | number;
  /** When it ends by itself, at most 366 days from now. */
  readonly until: string;
  /** Why, in your words. It is shown to whoever asks. */
  readonly reason: string;
};

export type BudgetsCreateBody = {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** Required without `match`. */
  readonly scope_kind?: "org" | "workflow" | "deployment" | "department" | undefined;
  /** Omit for a budget of the whole organization. */
  readonly scope_id?: string | undefined;
  /** In place of `scope_kind` and `scope_id`. */
  readonly match?: BudgetMatch | undefined;
  /** One or two of model, provider, key_id, user_id, workflow_id, deployment_id, department_id, customer_id, tags (all of them together) or tag:NAME. Each value has its own counter and the whole limit. Calls without the value share one. */
  readonly group_by?: readonly string[] | undefined;
  /** What is counted. */
  readonly unit?: "usd" | "tokens" | "runs" | undefined;
  /** The same as `limit`, for a budget in dollars. */
  readonly limit_usd?: string | undefined;
  /** Dollars as a decimal string, or a whole number of tokens or runs. */
  readonly limit?: string | number | undefined;
  /** How often the limit starts anew. `total`: never. */
  readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
  /** IANA time zone of its periods. Default: UTC. */
  readonly timezone?: string | undefined;
  /** The day on which months (1 to 28) or weeks (1 is Monday, to 7) begin. */
  readonly anchor_day?: number | undefined;
  /** `shadow` refuses nothing, and reports what it would have refused. */
  readonly mode?: "enforce" | "shadow" | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
  /** `period_start`: runs that were recorded before the budget was created count, too, as far as they belong to its period. */
  readonly count_from?: "creation" | "period_start" | undefined;
};

export type BudgetsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** Only limits of this scope. */
  readonly scope_kind?: "org" | "workflow" | "deployment" | "department" | "match" | undefined;
  /** What the scope names. */
  readonly scope_id?: string | undefined;
  /** Only limits with this period. */
  readonly period?: "day" | "week" | "month" | "quarter" | "year" | "total" | undefined;
  /** Only those with this mode. */
  readonly mode?: "enforce" | "shadow" | undefined;
  /** Part of the name or, if a budget has none, of what it applies to, in upper or lower case. Exact matches come first, then names that begin with it, on one page. At most 10,000 entries are searched, in the order of the list. */
  readonly contains?: string | undefined;
};

export type BudgetsChangeBody = {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly limit_usd?: string | undefined;
  /** Dollars as a decimal string, or a whole number of tokens or runs. */
  readonly limit?: string | number | undefined;
  /** How often the limit starts anew. `total`: never. */
  readonly period?: "day" | "week" | "month" | "quarter" | "year" | "total" | undefined;
  /** IANA time zone in which days begin. */
  readonly timezone?: string | undefined;
  /** Null: periods begin on their first day. */
  readonly anchor_day?: number | null | undefined;
  /** `shadow` refuses nothing, and reports what it would have refused. */
  readonly mode?: "enforce" | "shadow" | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
  /** `period_start`: runs that were recorded before the budget was created count, too, as far as they belong to its period. */
  readonly count_from?: "creation" | "period_start" | undefined;
};

export type BudgetsListGroupsQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "group" | "-group" | undefined;
};

export type ChainBudgetSetBody = {
  /** Dollars of a whole chain. Null: no limit. */
  readonly max_cost_usd?: string | null | undefined;
  /** The most runs from the first of a chain to its last. */
  readonly max_depth?: number | null | undefined;
  /** The most tokens of all runs of one chain. */
  readonly max_tokens?: number | null | undefined;
};

export type ContentSafetySetBody = {
  /** All detectors. Those that are left out are removed. */
  readonly detectors: readonly ({
    /** A built-in detector, or your name of a pattern. */
    readonly id: string;
    /** Which form the object has. */
    readonly kind: "builtin";
    /** `shadow` refuses nothing, and reports what it would have refused. */
    readonly action: "block" | "shadow";
  } | {
    /** A built-in detector, or your name of a pattern. */
    readonly id: string;
    /** Which form the object has. */
    readonly kind: "pattern";
    /** RE2 syntax. Matching takes linear time. */
    readonly pattern: string;
    /** `shadow` refuses nothing, and reports what it would have refused. */
    readonly action: "block" | "shadow";
  })[];
};

export type ContentSafetyEvaluateBody = {
  /** As in the `input` of a run. */
  readonly input: string | (readonly unknown[]) | Readonly<Record<string, unknown>>;
};

export type CreditPacksCreateBody = {
  /** Your name of the customer whom the call is for. */
  readonly customer_id: string;
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly amount_usd: string;
  /** Packs with a lower number are used first. */
  readonly priority?: number | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
  /** RFC 3339 with a time zone. */
  readonly effective_at?: string | undefined;
  /** RFC 3339 with a time zone. */
  readonly expires_at?: string | undefined;
};

export type CreditPacksListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
};

export type CreditPacksVoidBody = Readonly<Record<string, never>>;

export type CustomerLimitsCreateBody = {
  /** A customer, or `*` for every customer without a limit of its own. */
  readonly customer_id: string;
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly limit_usd: string;
  /** How often the limit starts anew. `total`: never. */
  readonly period: "day" | "week" | "month" | "quarter" | "year" | "total";
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
};

export type CustomerLimitsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Only limits with this period. */
  readonly period?: "day" | "week" | "month" | "quarter" | "year" | "total" | undefined;
};

export type CustomerLimitsChangeBody = {
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly limit_usd?: string | undefined;
  /** How often the limit starts anew. `total`: never. */
  readonly period?: "day" | "week" | "month" | "quarter" | "year" | "total" | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
};

export type CustomersListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "customer_id" | "-customer_id" | undefined;
  /** A part of a name, in upper or lower case, or the beginning of an id. */
  readonly contains?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type CustomersGetQuery = {
  /** The first day (UTC) of `revenue_usd` and `margin_usd`. Default: that of the current month. */
  readonly from?: string | undefined;
  /** Not included. At most 90 days after `from`. Default: tomorrow. */
  readonly to?: string | undefined;
};

export type CustomersSetBody = {
  /** What the customer is called. */
  readonly name?: string | null | undefined;
  /** What the customer pays you. With both, their sum. Left out: nothing is known. */
  readonly revenue?: {
    /** What the customer pays for a calendar month. Reports count the part that is in their range. */
    readonly usd_per_month?: string | null | undefined;
    /** What the customer pays on top of its cost, as a share of it: with `0.3` it pays 1.3 times what it costs. 0 to 1000, with at most 9 decimal places. */
    readonly markup?: string | null | undefined;
  } | null | undefined;
};

export type CustomersMintTokenBody = {
  /** How long the token works. */
  readonly ttl_seconds: number;
};

export type CustomersOwnUsageQuery = {
  /** RFC 3339 timestamp, or a date in `timezone`. */
  readonly from?: string | undefined;
  /** Not included. At most 400 days after `from`. */
  readonly to?: string | undefined;
  /** IANA time zone of days. Default: UTC. */
  readonly timezone?: string | undefined;
  /** One to three of day, week, month, model. Default: day. */
  readonly group_by?: string | undefined;
  /** The form of the answer. */
  readonly format?: "json" | "csv" | undefined;
  /** How many groups are returned, 1 to 50000. Default: 1000. */
  readonly limit?: number | string | undefined;
};

export type DecisionsDecideBody = {
  /** Your id of the request. The same id and content get the same answer. */
  readonly request_id?: string | undefined;
  /** The model's name, as in the price book. */
  readonly model?: string | undefined;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | undefined;
  /** Who serves the model. */
  readonly provider?: string | undefined;
  /** The variant of the model's price. If omitted: the standard rates. */
  readonly variant?: string | undefined;
  /** What the call may cost: dollars, or tokens that are priced. */
  readonly estimate: {
    /** Dollars as a decimal string, with at most 9 decimal places. */
    readonly cost_usd?: string | undefined;
    /** Tokens that are sent to the model. */
    readonly input_tokens?: number | undefined;
    /** The most that the model may write. If omitted: 4096. */
    readonly max_output_tokens?: number | undefined;
    /** Allows the call if there is room for so many output tokens, and reserves as many as fit, at most `max_output_tokens`. */
    readonly min_output_tokens?: number | undefined;
    /** The most of each unit that the call may use beside tokens, such as `web_search`. They are reserved at the price of the unit. */
    readonly units?: Readonly<Record<string, number>> | undefined;
  };
  /** How long the reservation is held. If omitted: 900. */
  readonly hold_seconds?: number | undefined;
  /** True: answers what would happen, and reserves nothing. */
  readonly dry_run?: boolean | undefined;
  /** `all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies. */
  readonly checks?: "limits" | "all" | undefined;
  /** Scanned by content safety detectors with `checks: all`. Never stored. */
  readonly input?: unknown;
  /** What becomes of the reservation if nobody settles it. `charge`: it becomes a run of its amount, until the run itself is reported. If omitted, your organization's default applies. */
  readonly on_expiry?: "release" | "charge" | undefined;
  /** The chain of runs that this one continues. */
  readonly chain?: {
    /** Your name of the chain. */
    readonly chain_id: string;
    /** The run before this one. If omitted, this run begins the chain. */
    readonly parent_run_id?: string | undefined;
  } | undefined;
  /** The approval that an earlier refusal named. */
  readonly approval_id?: string | undefined;
  /** At most 10, each with a name of 1 to 40 characters. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
};

export type DecisionsDecideManyBody = {
  /** Decisions, each made by itself, in order. */
  readonly asks: readonly {
    /** Your id of the request. The same id and content get the same answer. */
    readonly request_id?: string | undefined;
    /** The model's name, as in the price book. */
    readonly model?: string | undefined;
    /** What the run does, for policy rules that target actions. */
    readonly action?: string | undefined;
    /** Your name of the workflow that the call belongs to. */
    readonly workflow_id?: string | undefined;
    /** Your name of the deployment that makes the call. */
    readonly deployment_id?: string | undefined;
    /** Your name of the department that pays. */
    readonly department_id?: string | undefined;
    /** Your name of the customer whom the call is for. */
    readonly customer_id?: string | undefined;
    /** Your name of the person whom the call is for. */
    readonly user_id?: string | undefined;
    /** Who serves the model. */
    readonly provider?: string | undefined;
    /** The variant of the model's price. If omitted: the standard rates. */
    readonly variant?: string | undefined;
    /** What the call may cost: dollars, or tokens that are priced. */
    readonly estimate: {
      /** Dollars as a decimal string, with at most 9 decimal places. */
      readonly cost_usd?: string | undefined;
      /** Tokens that are sent to the model. */
      readonly input_tokens?: number | undefined;
      /** The most that the model may write. If omitted: 4096. */
      readonly max_output_tokens?: number | undefined;
      /** Allows the call if there is room for so many output tokens, and reserves as many as fit, at most `max_output_tokens`. */
      readonly min_output_tokens?: number | undefined;
      /** The most of each unit that the call may use beside tokens, such as `web_search`. They are reserved at the price of the unit. */
      readonly units?: Readonly<Record<string, number>> | undefined;
    };
    /** How long the reservation is held. If omitted: 900. */
    readonly hold_seconds?: number | undefined;
    /** True: answers what would happen, and reserves nothing. */
    readonly dry_run?: boolean | undefined;
    /** `all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies. */
    readonly checks?: "limits" | "all" | undefined;
    /** Scanned by content safety detectors with `checks: all`. Never stored. */
    readonly input?: unknown;
    /** What becomes of the reservation if nobody settles it. `charge`: it becomes a run of its amount, until the run itself is reported. If omitted, your organization's default applies. */
    readonly on_expiry?: "release" | "charge" | undefined;
    /** The chain of runs that this one continues. */
    readonly chain?: {
      /** Your name of the chain. */
      readonly chain_id: string;
      /** The run before this one. If omitted, this run begins the chain. */
      readonly parent_run_id?: string | undefined;
    } | undefined;
    /** The approval that an earlier refusal named. */
    readonly approval_id?: string | undefined;
    /** At most 10, each with a name of 1 to 40 characters. */
    readonly tags?: Readonly<Record<string, string>> | undefined;
  }[];
};

export type DecisionsRenewBody = {
  /** From now on. If omitted: 60. */
  readonly hold_seconds?: number | undefined;
  /** A higher amount is checked like a decision. If omitted, the amount stays. */
  readonly amount_usd?: string | undefined;
};

export type DeprecationsFlagBody = {
  /** The method of the route. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path of a route, with the names of its parameters. */
  readonly route: string;
  /** When the route became deprecated, as a date. */
  readonly since: string;
  /** HTTP-date, RFC 3339 timestamp, or a date, which includes that whole day. */
  readonly sunset: string;
  /** The route to use instead. */
  readonly replacement?: string | undefined;
  /** Where the deprecation is explained. */
  readonly documentation: string;
};

export type DigestsPutBody = {
  /** Days, weeks from Monday, or months. */
  readonly every: "day" | "week" | "month";
  /** The time of the day, on the first day after the period. */
  readonly at: string;
  /** IANA time zone of `at` and of the periods. */
  readonly timezone?: string | undefined;
  /** Ids of webhooks, and email addresses, which confirm themselves first. Empty: it is only an event. */
  readonly to?: readonly string[] | undefined;
};

export type DigestsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "name" | "-name" | "created_at" | "-created_at" | undefined;
};

export type EdgeFallbacksFindBody = {
  /** The model's name, as in the price book. */
  readonly model: string;
  /** The variant of the model's price. If omitted: the standard rates. */
  readonly variant?: string | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | undefined;
  /** Who serves the model. */
  readonly provider?: string | undefined;
  /** At most 10, each with a name of 1 to 40 characters. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
};

export type EdgeLeasesExchangeBody = {
  /** The version of this exchange. */
  readonly version: 1;
  /** Names the gate. No other gate of the key may ever have the same name. */
  readonly holder: string;
  /** A decision that the gate cannot make by itself. */
  readonly ask?: {
    /** Your id of the request. The same id and content get the same answer. */
    readonly request_id?: string | undefined;
    /** The model's name, as in the price book. */
    readonly model?: string | undefined;
    /** What the run does, for policy rules that target actions. */
    readonly action?: string | undefined;
    /** Your name of the workflow that the call belongs to. */
    readonly workflow_id?: string | undefined;
    /** Your name of the deployment that makes the call. */
    readonly deployment_id?: string | undefined;
    /** Your name of the department that pays. */
    readonly department_id?: string | undefined;
    /** Your name of the customer whom the call is for. */
    readonly customer_id?: string | undefined;
    /** Your name of the person whom the call is for. */
    readonly user_id?: string | undefined;
    /** Who serves the model. */
    readonly provider?: string | undefined;
    /** The variant of the model's price. If omitted: the standard rates. */
    readonly variant?: string | undefined;
    /** What the call may cost: dollars, or tokens that are priced. */
    readonly estimate: {
      /** Dollars as a decimal string, with at most 9 decimal places. */
      readonly cost_usd?: string | undefined;
      /** Tokens that are sent to the model. */
      readonly input_tokens?: number | undefined;
      /** The most that the model may write. If omitted: 4096. */
      readonly max_output_tokens?: number | undefined;
      /** Allows the call if there is room for so many output tokens, and reserves as many as fit, at most `max_output_tokens`. */
      readonly min_output_tokens?: number | undefined;
      /** The most of each unit that the call may use beside tokens, such as `web_search`. They are reserved at the price of the unit. */
      readonly units?: Readonly<Record<string, number>> | undefined;
    };
    /** How long the reservation is held. If omitted: 900. */
    readonly hold_seconds?: number | undefined;
    /** True: answers what would happen, and reserves nothing. */
    readonly dry_run?: boolean | undefined;
    /** `all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies. */
    readonly checks?: "limits" | "all" | undefined;
    /** Scanned by content safety detectors with `checks: all`. Never stored. */
    readonly input?: unknown;
    /** What becomes of the reservation if nobody settles it. `charge`: it becomes a run of its amount, until the run itself is reported. If omitted, your organization's default applies. */
    readonly on_expiry?: "release" | "charge" | undefined;
    /** The chain of runs that this one continues. */
    readonly chain?: {
      /** Your name of the chain. */
      readonly chain_id: string;
      /** The run before this one. If omitted, this run begins the chain. */
      readonly parent_run_id?: string | undefined;
    } | undefined;
    /** The approval that an earlier refusal named. */
    readonly approval_id?: string | undefined;
    /** At most 10, each with a name of 1 to 40 characters. */
    readonly tags?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  /** The trace and span of the call, for exports of spans. Only where `sends_spans` is true. */
  readonly traceparent?: string | undefined;
  /** Also say what decisions like this one touch. */
  readonly learn?: boolean | undefined;
  /** What the gate did since its last report. */
  readonly report?: {
    /** From 1: one exchange at a time, each with the next number. */
    readonly attempt: number;
    /** Touches that the service has given to this key, unchanged. */
    readonly touches: readonly string[];
    /** Reservations that the gate made. */
    readonly batches: readonly {
      /** From 1, without a gap: the service takes each batch once. */
      readonly number: number;
      /** The reservations of the batch. */
      readonly holds: readonly {
        /** Which of `touches` the holds were made against. */
        readonly touch: number;
        /** The names under which the calls were made. Their runs have the same, and so do those that holds become which are charged when they expire. Where a limit looks at a call, the touch says it. If omitted, the holds are given back when they expire. */
        readonly call?: {
          /** The model's name, as in the price book. */
          readonly model?: string | undefined;
          /** What the run does, for policy rules that target actions. */
          readonly action?: string | undefined;
          /** Your name of the workflow that the call belongs to. */
          readonly workflow_id?: string | undefined;
          /** Your name of the deployment that makes the call. */
          readonly deployment_id?: string | undefined;
          /** Your name of the department that pays. */
          readonly department_id?: string | undefined;
          /** Your name of the customer whom the call is for. */
          readonly customer_id?: string | undefined;
          /** The variant of the model's price. If omitted: the standard rates. */
          readonly variant?: string | undefined;
          /** The approval that an earlier refusal named. */
          readonly approval_id?: string | undefined;
          /** Your name of the person whom the call is for. */
          readonly user_id?: string | undefined;
          /** Who serves the model. */
          readonly provider?: string | undefined;
          /** At most 10, each with a name of 1 to 40 characters. */
          readonly tags?: Readonly<Record<string, string>> | undefined;
          /** Your name of the chain. */
          readonly chain_id?: string | undefined;
          /** `release`: the holds are given back when they expire. If omitted, they are charged. */
          readonly on_expiry?: "release" | "charge" | undefined;
        } | undefined;
        /** With `call`: how many of the tokens in each line are input. If omitted: none. */
        readonly inputs?: readonly number[] | undefined;
        /** A reservation each. */
        readonly lines: readonly string[];
      }[];
    }[];
    /** Which limits the gate asks for. */
    readonly wants: readonly {
      /** As a touch or a reply names it. */
      readonly key: string;
      /** What the gate keeps of its slice. It gives back the rest. */
      readonly left: string;
      /** What it expects to use until the next exchanges. */
      readonly want: string;
      /** Its largest single call lately. */
      readonly least: string;
    }[];
    /** How many slices the gate keeps that `wants` does not name. They are renewed as they are. Without it they are given back. */
    readonly renews?: number | undefined;
    /** Limits to hear about. */
    readonly watch: readonly string[];
    /** What the gate refused by itself. The service keeps it with its own refusals. */
    readonly refusals?: {
      /** From 1, without a gap: the service takes each batch once. */
      readonly number: number;
      /** Refusals, each with what it was about. */
      readonly notes: readonly {
        /** When, by the organization's clock, in milliseconds. */
        readonly at: number;
        /** The trace id of the refused call. */
        readonly trace: string;
        /** The code of the refusal. */
        readonly code: "rate_limited" | "quota_exhausted" | "spend_cap_exceeded" | "budget_exceeded";
        /** The id of the limit that refused. */
        readonly limit: string;
        /** The details of the refusal, as the gate gave them. */
        readonly details: Readonly<Record<string, unknown>>;
        /** The amount in nano-dollars. Null if it was not known. */
        readonly nanos: string | null;
        /** The model's name, as in the price book. */
        readonly model?: string | undefined;
        /** Your name of the customer whom the call is for. */
        readonly customer_id?: string | undefined;
        /** Your name of the workflow that the call belongs to. */
        readonly workflow_id?: string | undefined;
        /** Your name of the department that pays. */
        readonly department_id?: string | undefined;
        /** Your name of the deployment that makes the call. */
        readonly deployment_id?: string | undefined;
        /** Your name of the person whom the call is for. */
        readonly user_id?: string | undefined;
        /** The trace and span of the call, for exports of spans. Only where `sends_spans` is true. */
        readonly traceparent?: string | undefined;
      }[];
      /** Exact sums of refusals that are not listed one by one. */
      readonly more: readonly {
        /** The start of the hour, in milliseconds since 1970. */
        readonly hour: number;
        /** How many. */
        readonly count: number;
        /** The amount in nano-dollars. */
        readonly nanos: string;
        /** The code of the refusal. */
        readonly code: "rate_limited" | "quota_exhausted" | "spend_cap_exceeded" | "budget_exceeded";
        /** The id of the limit that refused. */
        readonly limit: string;
        /** Your name of the customer whom the call is for. */
        readonly customer_id?: string | undefined;
        /** Your name of the workflow that the call belongs to. */
        readonly workflow_id?: string | undefined;
      }[];
    } | undefined;
  } | undefined;
  /** How many new reservation ids to send. */
  readonly ids?: number | undefined;
  /** Calls that the gate let pass while the service could not be reached, since the last exchange. */
  readonly ungoverned?: number | undefined;
  /** Calls that were made and whose runs the gate has dropped, since the last exchange, by reason. */
  readonly unsettled?: {
    /** Runs that the service rejected. */
    readonly rejected?: number | undefined;
    /** Runs for which there was no room while others waited. */
    readonly overflow?: number | undefined;
    /** Runs that waited for too long. */
    readonly expired?: number | undefined;
  } | undefined;
};

export type EventsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** Only events of this kind. */
  readonly type?: "run.recorded" | "run.over_limit" | "reservation.expired" | "budget.threshold_crossed" | "budget.exceeded" | "spend_cap.exceeded" | "customer_limit.exceeded" | "credit_pack.depleted" | "credit_pack.expired" | "quota.low" | "quota.exhausted" | "plan.limit_reached" | "policy.blocked" | "policy.approval_requested" | "policy.approval_decided" | "safety.blocked" | "key.created" | "key.rotated" | "key.revoked" | "org.suspended" | "org.resumed" | "webhook.disabled" | "support.grant_opened" | "support.grant_closed" | "test.ping" | "run.adjusted" | "run.replaced" | "spend_cap.threshold_crossed" | "customer_limit.threshold_crossed" | "credit_pack.threshold_crossed" | "quota.threshold_crossed" | "plan.threshold_crossed" | "spend.unusual" | "digest.ready" | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type ExplainExplainBody = {
  /** The `x-svc-trace-id` of a refusal, or of a recorded run. */
  readonly trace_id?: string | undefined;
  /** One refusal, where a trace has several. */
  readonly refusal_id?: string | undefined;
  /** The reservation of a decision. */
  readonly reservation_id?: string | undefined;
  /** A run's id. */
  readonly run_id?: string | undefined;
  /** Explains what would happen to this decision. Nothing is reserved. */
  readonly ask?: {
    /** Your id of the request. The same id and content get the same answer. */
    readonly request_id?: string | undefined;
    /** The model's name, as in the price book. */
    readonly model?: string | undefined;
    /** What the run does, for policy rules that target actions. */
    readonly action?: string | undefined;
    /** Your name of the workflow that the call belongs to. */
    readonly workflow_id?: string | undefined;
    /** Your name of the deployment that makes the call. */
    readonly deployment_id?: string | undefined;
    /** Your name of the department that pays. */
    readonly department_id?: string | undefined;
    /** Your name of the customer whom the call is for. */
    readonly customer_id?: string | undefined;
    /** Your name of the person whom the call is for. */
    readonly user_id?: string | undefined;
    /** Who serves the model. */
    readonly provider?: string | undefined;
    /** The variant of the model's price. If omitted: the standard rates. */
    readonly variant?: string | undefined;
    /** What the call may cost: dollars, or tokens that are priced. */
    readonly estimate: {
      /** Dollars as a decimal string, with at most 9 decimal places. */
      readonly cost_usd?: string | undefined;
      /** Tokens that are sent to the model. */
      readonly input_tokens?: number | undefined;
      /** The most that the model may write. If omitted: 4096. */
      readonly max_output_tokens?: number | undefined;
      /** Allows the call if there is room for so many output tokens, and reserves as many as fit, at most `max_output_tokens`. */
      readonly min_output_tokens?: number | undefined;
      /** The most of each unit that the call may use beside tokens, such as `web_search`. They are reserved at the price of the unit. */
      readonly units?: Readonly<Record<string, number>> | undefined;
    };
    /** How long the reservation is held. If omitted: 900. */
    readonly hold_seconds?: number | undefined;
    /** True: answers what would happen, and reserves nothing. */
    readonly dry_run?: boolean | undefined;
    /** `all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies. */
    readonly checks?: "limits" | "all" | undefined;
    /** Scanned by content safety detectors with `checks: all`. Never stored. */
    readonly input?: unknown;
    /** What becomes of the reservation if nobody settles it. `charge`: it becomes a run of its amount, until the run itself is reported. If omitted, your organization's default applies. */
    readonly on_expiry?: "release" | "charge" | undefined;
    /** The chain of runs that this one continues. */
    readonly chain?: {
      /** Your name of the chain. */
      readonly chain_id: string;
      /** The run before this one. If omitted, this run begins the chain. */
      readonly parent_run_id?: string | undefined;
    } | undefined;
    /** The approval that an earlier refusal named. */
    readonly approval_id?: string | undefined;
    /** At most 10, each with a name of 1 to 40 characters. */
    readonly tags?: Readonly<Record<string, string>> | undefined;
  } | undefined;
};

export type ExportsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "name" | "-name" | "created_at" | "-created_at" | undefined;
};

export type ExportsPutBody = {
  /** Of the files. `otlp`, and the default, for a destination of kind otlp. */
  readonly format?: "ndjson" | "csv" | "parquet" | "focus" | "otlp" | undefined;
  /** The version of FOCUS, with `format: focus`. Default: 1.2. */
  readonly focus_version?: ("1.2" | "1.4") | null | undefined;
  /** The length of a window, in UTC. `minute`, and the default, for a destination of kind otlp. */
  readonly every?: "hour" | "day" | "minute" | undefined;
  /** Where the files are written. */
  readonly destination: {
    /** Which form the object has. */
    readonly kind: "bucket";
    /** What the names of all files begin with. */
    readonly prefix?: string | undefined;
  } | {
    /** Which form the object has. */
    readonly kind: "s3";
    /** The https address of the storage, without a path. */
    readonly endpoint: string;
    /** The bucket's name. */
    readonly bucket: string;
    /** What the names of all files begin with. */
    readonly prefix?: string | undefined;
    /** The storage's region. */
    readonly region: string;
    /** The id of the access key. */
    readonly access_key_id: string;
    /** Stored encrypted, and never returned. */
    readonly secret_access_key: string;
  } | {
    /** Which form the object has. */
    readonly kind: "otlp";
    /** The https address of a receiver of OTLP over HTTP. `/v1/traces` is added unless it ends so. */
    readonly endpoint: string;
    /** What the names of all files begin with. */
    readonly prefix?: string | undefined;
    /** Sent with each request. Stored encrypted; only their names are returned. */
    readonly headers?: Readonly<Record<string, string>> | null | undefined;
  };
};

export type ExportsWindowsQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "to" | "-to" | undefined;
};

export type FallbacksListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "name" | "-name" | "created_at" | "-created_at" | undefined;
};

export type FallbacksPutBody = {
  readonly match: FallbackMatch;
  /** The models to try, in this order. */
  readonly then: readonly FallbackModel[];
  /** When the next model is tried: `limit` if a limit refuses the call, `provider_error` if its provider fails before it answers, `no_price` if the model has no price. May be empty with `budget_share`. */
  readonly on: readonly ("limit" | "provider_error" | "no_price")[];
  /** Calls begin with the first model of the list as soon as a budget or a customer limit that applies to them is used up to this share. */
  readonly budget_share?: string | null | undefined;
};

export type ForecastsLinearQuery = {
  /** Your name of the deployment that makes the call. */
  readonly deployment_id: string;
  /** How many teams to project for. */
  readonly teams: number | string;
};

export type ForecastsCapacityQuery = {
  /** What is forecast. */
  readonly metric?: "usd" | "runs" | "tokens" | undefined;
  /** How many days to forecast. */
  readonly horizon_days?: number | string | undefined;
  /** How usage is assumed to develop. */
  readonly scenario?: "baseline" | "growth" | "constrained" | undefined;
  /** By how much capacity grows in 30 days in the scenario `growth`: 0.1 is 10 %. */
  readonly growth_rate?: number | string | undefined;
  /** Only limits of this scope. */
  readonly scope_kind?: "org" | "workflow" | "deployment" | "department" | "customer" | undefined;
  /** What the scope names. */
  readonly scope_id?: string | undefined;
  /** `own`: for the organization, only budgets of the whole organization. With many budgets this is much faster. */
  readonly budgets?: "all" | "own" | undefined;
};

export type GuardrailCheckBody = {
  /** Only a request is decided. A response has been paid for already. */
  readonly input_type: "request" | "response";
  /** The texts of the request, which detectors scan. */
  readonly texts?: (readonly string[]) | null | undefined;
  /** Not read. */
  readonly structured_messages?: (readonly unknown[]) | null | undefined;
  /** Not read. */
  readonly images?: (readonly unknown[]) | null | undefined;
  /** Not read. */
  readonly tools?: (readonly unknown[]) | null | undefined;
  /** Not read. */
  readonly tool_calls?: (readonly unknown[]) | null | undefined;
  /** The model's name, as in the price book. */
  readonly model?: string | null | undefined;
  /** Not read: callers of LiteLLM choose it, and one id could stand for many calls. */
  readonly litellm_call_id?: string | null | undefined;
  /** Not read. */
  readonly litellm_trace_id?: string | null | undefined;
  /** Not read. */
  readonly litellm_version?: string | null | undefined;
  /** Whose key made the request. */
  readonly request_data?: {
    /** The user, if no header names one. */
    readonly user_api_key_user_id?: string | null | undefined;
    /** The department, if no header names one. */
    readonly user_api_key_team_id?: string | null | undefined;
    /** The customer, if no header names one. */
    readonly user_api_key_end_user_id?: string | null | undefined;
  } | null | undefined;
  /** Headers of the request to LiteLLM. */
  readonly request_headers?: Readonly<Record<string, unknown>> | null | undefined;
  /** Not read: LiteLLM lets its callers override them. */
  readonly additional_provider_specific_params?: Readonly<Record<string, unknown>> | null | undefined;
};

export type KeysMintBody = {
  /** 1 to 200 characters. */
  readonly name: string;
  /** What the key may do. Each role includes the ones below it. */
  readonly role: "viewer" | "developer" | "admin" | "owner";
  /** If omitted: all that the role may use. */
  readonly scopes?: readonly (("decisions:evaluate") | ("org:read") | ("org:write") | ("keys:read") | ("keys:write") | ("runs:read") | ("runs:write") | ("budgets:read") | ("budgets:write") | ("customers:read") | ("customers:write") | ("credits:read") | ("credits:write") | ("quota:read") | ("quota:write") | ("limits:read") | ("limits:write") | ("policies:read") | ("policies:write") | ("approvals:read") | ("approvals:write") | ("webhooks:read") | ("webhooks:write") | ("audit:read") | ("audit:write") | ("retention:read") | ("retention:write") | ("routing:read") | ("routing:write") | ("benchmarks:read") | ("benchmarks:write") | ("forecasts:read") | ("forecasts:write") | ("support:read") | ("support:write") | ("provider-keys:read") | ("provider-keys:write"))[] | undefined;
  /** RFC 3339 with a time zone. */
  readonly not_before?: string | undefined;
  /** RFC 3339 with a time zone. */
  readonly expires_at?: string | undefined;
};

export type KeysListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "name" | "-name" | undefined;
  /** Only keys with this role. */
  readonly role?: "viewer" | "developer" | "admin" | "owner" | undefined;
  /** Part of the name, in upper or lower case. Exact matches come first, then names that begin with it, on one page. At most 10,000 entries are searched, in the order of the list. */
  readonly contains?: string | undefined;
};

export type KeysRotateBody = {
  /** How long the previous secret keeps working. */
  readonly grace_seconds?: number | undefined;
};

export type LimitsListQuery = {
  /** How many entries a page has. */
  readonly limit?: number | string | undefined;
  /** With `true`, `limit` may be at most 20. */
  readonly forecast?: "true" | "false" | undefined;
};

export type ModelsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "model" | "-model" | undefined;
  /** Part of the name, in upper or lower case. Exact matches come first, then names that begin with it, on one page. At most 10,000 entries are searched, in the order of the list. */
  readonly contains?: string | undefined;
};

export type ModelsSetBody = {
  /** Read-only. If sent: as it was read. */
  readonly model?: string | undefined;
  /** Read-only. If sent: as it was read. */
  readonly source?: "org" | "platform" | undefined;
  /** Read-only. If sent: as it was read. */
  readonly revision?: number | undefined;
  /** Read-only. If sent: as it was read. */
  readonly created_at?: string | undefined;
  /** Read-only. If sent: as it was read. */
  readonly updated_at?: string | undefined;
  /** Also finds the model as `provider/model`. */
  readonly provider?: string | null | undefined;
  /** Dollars per million input tokens. */
  readonly input_usd_per_mtok: string;
  /** Dollars per million output tokens. */
  readonly output_usd_per_mtok: string;
  /** Dollars per million cache_read tokens. If omitted: the input rate. */
  readonly cache_read_usd_per_mtok?: string | null | undefined;
  /** Dollars per million cache_write tokens. If omitted: the input rate. */
  readonly cache_write_usd_per_mtok?: string | null | undefined;
  /** Dollars per million cache_write_1h tokens. If omitted: the input rate. */
  readonly cache_write_1h_usd_per_mtok?: string | null | undefined;
  /** Dollars per million audio_input tokens. If omitted: the input rate. */
  readonly audio_input_usd_per_mtok?: string | null | undefined;
  /** Dollars per million image_input tokens. If omitted: the input rate. */
  readonly image_input_usd_per_mtok?: string | null | undefined;
  /** Dollars per million reasoning tokens. If omitted: the output rate. */
  readonly reasoning_usd_per_mtok?: string | null | undefined;
  /** Dollars per million audio_output tokens. If omitted: the output rate. */
  readonly audio_output_usd_per_mtok?: string | null | undefined;
  /** Dollars per million image_output tokens. If omitted: the output rate. */
  readonly image_output_usd_per_mtok?: string | null | undefined;
  /** Dollars for one of each unit, such as `web_search`. */
  readonly units?: Readonly<Record<string, string>> | undefined;
  /** Lowest first. A request whose input tokens exceed a tier is priced as a whole by the highest such tier. */
  readonly tiers?: readonly {
    /** The tier applies to requests with more input tokens. */
    readonly above_input_tokens: number;
    /** If omitted: the model's own. */
    readonly input_usd_per_mtok?: string | undefined;
    /** If omitted: the model's own. */
    readonly output_usd_per_mtok?: string | undefined;
    /** Dollars per million cache_read tokens. If omitted: the input rate. */
    readonly cache_read_usd_per_mtok?: string | null | undefined;
    /** Dollars per million cache_write tokens. If omitted: the input rate. */
    readonly cache_write_usd_per_mtok?: string | null | undefined;
    /** Dollars per million cache_write_1h tokens. If omitted: the input rate. */
    readonly cache_write_1h_usd_per_mtok?: string | null | undefined;
    /** Dollars per million audio_input tokens. If omitted: the input rate. */
    readonly audio_input_usd_per_mtok?: string | null | undefined;
    /** Dollars per million image_input tokens. If omitted: the input rate. */
    readonly image_input_usd_per_mtok?: string | null | undefined;
    /** Dollars per million reasoning tokens. If omitted: the output rate. */
    readonly reasoning_usd_per_mtok?: string | null | undefined;
    /** Dollars per million audio_output tokens. If omitted: the output rate. */
    readonly audio_output_usd_per_mtok?: string | null | undefined;
    /** Dollars per million image_output tokens. If omitted: the output rate. */
    readonly image_output_usd_per_mtok?: string | null | undefined;
  }[] | undefined;
  /** Factors of the token rates by name, such as `batch: "0.5"`. */
  readonly variants?: Readonly<Record<string, string>> | undefined;
  /** The most tokens that a request of the model can have. */
  readonly context_window?: number | null | undefined;
  /** The most output tokens of a request. */
  readonly max_output_tokens?: number | null | undefined;
  /** When the price takes effect. If omitted: now. */
  readonly effective_at?: string | undefined;
  /** Regions where the model is served. If omitted: all. */
  readonly regions?: (readonly string[]) | null | undefined;
};

export type ModelsPricesQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "revision" | "-revision" | undefined;
};

export type OrgsChangeBody = {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** Addresses that may call, in CIDR notation. Empty: all. */
  readonly ip_allow_list?: readonly string[] | undefined;
  /** A field that is omitted keeps its value. */
  readonly decision_defaults?: {
    /** What decisions are checked against, if they do not say. */
    readonly checks?: "limits" | "all" | undefined;
    /** What becomes of a reservation that nobody settles. */
    readonly on_expiry?: "release" | "charge" | undefined;
  } | undefined;
};

export type PlansListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "plan" | "-plan" | undefined;
};

export type PlansSetBody = {
  /** Runs of a calendar month. Null: unlimited. */
  readonly runs_limit: number | null;
  /** Tokens of a calendar month. Null: unlimited. */
  readonly tokens_limit: number | null;
  /** Whether runs above the plan are refused. */
  readonly overage_policy: "block" | "allow";
  /** Shares of the runs and of the tokens. Each sends `plan.threshold_crossed` once per month. If omitted, they stay as they are. */
  readonly alert_thresholds?: readonly string[] | undefined;
};

export type PolicyRulesCreateBody = {
  /** What the rule applies to, and what a refusal names. */
  readonly target: "model" | "action";
  /** What happens if the rule matches. */
  readonly effect: "deny" | "require_approval" | "allow";
  /** A CEL expression that is true or false. */
  readonly when: string;
  /** Why, in your words. It is shown to whoever asks. */
  readonly reason: string;
  /** Among matching rules with the same effect, the highest is named. */
  readonly priority?: number | undefined;
  /** `shadow` refuses nothing, and reports what it would have refused. */
  readonly mode?: "enforce" | "shadow" | undefined;
};

export type PolicyRulesListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "priority" | "-priority" | undefined;
  /** What the rule applies to, and what a refusal names in `attempted`. */
  readonly target?: "model" | "action" | undefined;
  /** Only rules with this effect. */
  readonly effect?: "allow" | "deny" | "require_approval" | undefined;
  /** Only those with this mode. */
  readonly mode?: "enforce" | "shadow" | undefined;
  /** Part of the reason, in upper or lower case. Exact matches come first, then names that begin with it, on one page. At most 10,000 entries are searched, in the order of the list. */
  readonly contains?: string | undefined;
};

export type PolicyRulesEvaluateBody = {
  /** The model's name, as in the price book. */
  readonly model?: string | undefined;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** What the call may cost: dollars, or tokens that are priced. */
  readonly estimate?: {
    /** Dollars as a decimal string, with at most 9 decimal places. */
    readonly cost_usd?: string | undefined;
    /** Tokens that are sent to the model. */
    readonly input_tokens?: number | undefined;
    /** The most that the model may write. If omitted: 4096. */
    readonly max_output_tokens?: number | undefined;
  } | undefined;
  /** The run as the rules see it. */
  readonly run?: {
    /** The model's name, as in the price book. */
    readonly model?: string | undefined;
    /** What the run does, for policy rules that target actions. */
    readonly action?: string | undefined;
    /** Your name of the customer whom the call is for. */
    readonly customer_id?: string | undefined;
    /** Dollars as a decimal string, with at most 9 decimal places. */
    readonly cost_usd?: string | undefined;
    /** What the run used. Without `cost_usd` it is priced by the price book. */
    readonly usage?: {
      /** Tokens that are sent to the model. */
      readonly input_tokens?: number | undefined;
      /** Tokens that the model writes. */
      readonly output_tokens?: number | undefined;
    } & Readonly<Record<string, unknown>> | undefined;
  } & Readonly<Record<string, unknown>> | undefined;
};

export type PolicyRulesChangeBody = {
  /** What the rule applies to, and what a refusal names. */
  readonly target?: "model" | "action" | undefined;
  /** What happens if the rule matches. */
  readonly effect?: "deny" | "require_approval" | "allow" | undefined;
  /** A CEL expression that is true or false. */
  readonly when?: string | undefined;
  /** Why, in your words. It is shown to whoever asks. */
  readonly reason?: string | undefined;
  /** Among matching rules with the same effect, the highest is named. */
  readonly priority?: number | undefined;
  /** `shadow` refuses nothing, and reports what it would have refused. */
  readonly mode?: "enforce" | "shadow" | undefined;
};

export type PriceBookSetBody = {
  /** All models. Those that are left out are removed. */
  readonly models: readonly {
    /** The model's name, as in the price book. */
    readonly model: string;
    /** Other names of the model. `#` is any digit, as in `m1-########` for dated versions. With `*` for any text, as in `m1-*`, it finds models of calls that name the provider. A leading `!` excludes names. */
    readonly aliases?: readonly string[] | undefined;
    /** Where the price was taken from. */
    readonly source?: string | null | undefined;
    /** Also finds the model as `provider/model`. */
    readonly provider?: string | null | undefined;
    /** Dollars per million input tokens. */
    readonly input_usd_per_mtok: string;
    /** Dollars per million output tokens. */
    readonly output_usd_per_mtok: string;
    /** Dollars per million cache_read tokens. If omitted: the input rate. */
    readonly cache_read_usd_per_mtok?: string | null | undefined;
    /** Dollars per million cache_write tokens. If omitted: the input rate. */
    readonly cache_write_usd_per_mtok?: string | null | undefined;
    /** Dollars per million cache_write_1h tokens. If omitted: the input rate. */
    readonly cache_write_1h_usd_per_mtok?: string | null | undefined;
    /** Dollars per million audio_input tokens. If omitted: the input rate. */
    readonly audio_input_usd_per_mtok?: string | null | undefined;
    /** Dollars per million image_input tokens. If omitted: the input rate. */
    readonly image_input_usd_per_mtok?: string | null | undefined;
    /** Dollars per million reasoning tokens. If omitted: the output rate. */
    readonly reasoning_usd_per_mtok?: string | null | undefined;
    /** Dollars per million audio_output tokens. If omitted: the output rate. */
    readonly audio_output_usd_per_mtok?: string | null | undefined;
    /** Dollars per million image_output tokens. If omitted: the output rate. */
    readonly image_output_usd_per_mtok?: string | null | undefined;
    /** Dollars for one of each unit, such as `web_search`. */
    readonly units?: Readonly<Record<string, string>> | undefined;
    /** Lowest first. A request whose input tokens exceed a tier is priced as a whole by the highest such tier. */
    readonly tiers?: readonly {
      /** The tier applies to requests with more input tokens. */
      readonly above_input_tokens: number;
      /** If omitted: the model's own. */
      readonly input_usd_per_mtok?: string | undefined;
      /** If omitted: the model's own. */
      readonly output_usd_per_mtok?: string | undefined;
      /** Dollars per million cache_read tokens. If omitted: the input rate. */
      readonly cache_read_usd_per_mtok?: string | null | undefined;
      /** Dollars per million cache_write tokens. If omitted: the input rate. */
      readonly cache_write_usd_per_mtok?: string | null | undefined;
      /** Dollars per million cache_write_1h tokens. If omitted: the input rate. */
      readonly cache_write_1h_usd_per_mtok?: string | null | undefined;
      /** Dollars per million audio_input tokens. If omitted: the input rate. */
      readonly audio_input_usd_per_mtok?: string | null | undefined;
      /** Dollars per million image_input tokens. If omitted: the input rate. */
      readonly image_input_usd_per_mtok?: string | null | undefined;
      /** Dollars per million reasoning tokens. If omitted: the output rate. */
      readonly reasoning_usd_per_mtok?: string | null | undefined;
      /** Dollars per million audio_output tokens. If omitted: the output rate. */
      readonly audio_output_usd_per_mtok?: string | null | undefined;
      /** Dollars per million image_output tokens. If omitted: the output rate. */
      readonly image_output_usd_per_mtok?: string | null | undefined;
    }[] | undefined;
    /** Factors of the token rates by name, such as `batch: "0.5"`. */
    readonly variants?: Readonly<Record<string, string>> | undefined;
    /** The most tokens that a request of the model can have. */
    readonly context_window?: number | null | undefined;
    /** The most output tokens of a request. */
    readonly max_output_tokens?: number | null | undefined;
  }[];
  /** If omitted: as they are. */
  readonly providers?: readonly {
    /** Who serves the model. */
    readonly provider: string;
    /** Other names of the provider, with `*` for any text. */
    readonly names?: readonly string[] | undefined;
    /** Models that are meant to be this provider's in calls that name none, such as `gpt-*`. */
    readonly models?: readonly string[] | undefined;
    /** Providers whose rows price a model that this one has no row for, first to last. */
    readonly fallbacks?: readonly string[] | undefined;
    /** If true, it hosts models of others: a model's name alone does not mean its rows. */
    readonly hosts?: boolean | undefined;
  }[] | undefined;
  /** Read-only. If sent: as it was read. */
  readonly revision?: number | undefined;
  /** Read-only. If sent: as it was read. */
  readonly updated_at?: string | null | undefined;
};

export type PricesResolveQuery = {
  /** As calls name it. */
  readonly model: string;
  /** As calls name it. If omitted: a call without one. */
  readonly provider?: string | undefined;
};

export type ProviderKeysListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "provider" | "-provider" | "created_at" | "-created_at" | undefined;
};

export type ProviderKeysPutBody = {
  /** The provider's key. Stored encrypted, and never returned. */
  readonly secret: string;
  /** Where calls with this key go: an https address on the public internet, with a path or without. Default: the provider's. */
  readonly base_url?: string | null | undefined;
  /** Headers that calls with this key carry. Stored encrypted; only their names are returned. */
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  /** The models that it serves, each by its name or by the beginning of names: `gpt-*`. Default: all. */
  readonly models?: (readonly string[]) | null | undefined;
};

export type QuotaSetBody = {
  /** When the balance falls below this, `quota.low` is sent. Null: never. */
  readonly low_balance_usd?: string | null | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
};

export type QuotaTopUpBody = {
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly amount_usd: string;
};

export type RateLimitsSetBody = {
  /** GET requests per minute for the whole organization. Null uses the service default. */
  readonly read_rpm: number | null;
  /** All rate-limit policies. Those that are left out are removed. */
  readonly policies: readonly {
    /** 1 to 200 characters. */
    readonly name: string;
    /** Which calls the policy counts. A call must match every part; `{}` is the whole organization. Beside `route`, `key_id` and `customer_id`, each part is a value or a list of values. A model may end in `*`. `"*"` alone counts each value separately, and no call without one; `each_key` does so for keys. At most two parts can have it. */
    readonly match: {
      /** A route, with the names of its parameters. */
      readonly route?: string | undefined;
      /** A key of the organization. */
      readonly key_id?: string | undefined;
      /** Counts each key separately. */
      readonly each_key?: true | undefined;
      /** `"*"` counts each customer separately. */
      readonly customer_id?: string | undefined;
      /** The model's name, as in the price book. */
      readonly model?: string | (readonly string[]) | undefined;
      /** Who serves the model. */
      readonly provider?: string | (readonly string[]) | undefined;
      /** Your name of the person whom the call is for. */
      readonly user_id?: string | (readonly string[]) | undefined;
      /** How a run ended. */
      readonly outcome?: ("completed" | "cancelled" | "failed" | "unknown" | ("*")) | (readonly ("completed" | "cancelled" | "failed" | "unknown" | ("*"))[]) | undefined;
      /** Your name of the workflow that the call belongs to. */
      readonly workflow_id?: string | (readonly string[]) | undefined;
      /** Your name of the deployment that makes the call. */
      readonly deployment_id?: string | (readonly string[]) | undefined;
      /** Your name of the department that pays. */
      readonly department_id?: string | (readonly string[]) | undefined;
      /** The variant of the model's price. If omitted: the standard rates. */
      readonly variant?: string | (readonly string[]) | undefined;
      /** Your name of the chain. */
      readonly chain_id?: string | (readonly string[]) | undefined;
      /** Tags that a call must have, each with a value or a list of values. */
      readonly tags?: Readonly<Record<string, string | (readonly string[])>> | undefined;
    };
    /** `usd`: dollars, a decision by its estimate until its run says what it cost. */
    readonly unit: "requests" | "tokens" | "usd";
    /** A whole number. Of dollars also a decimal string, at most 9000000. */
    readonly limit: number | string;
    /** Only for dollars: the limit as replies show it. Takes precedence over `limit`. */
    readonly limit_usd?: string | undefined;
    /** The length of the window. */
    readonly window_seconds: number;
    /** `rate` is a sliding window and refuses with `rate_limited`. `quota` is a fixed window and refuses with `quota_exhausted`. */
    readonly kind: "rate" | "quota";
  }[];
};

export type RefusalsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "-at" | undefined;
  /** Only what the call with this trace id did. */
  readonly trace_id?: string | undefined;
  /** Only refusals with this code. */
  readonly code?: "rate_limited" | "policy_blocked" | "policy_approval_required" | "policy_expression_error" | "content_safety_blocked" | "plan_limit_exceeded" | "chain_budget_exceeded" | "quota_exhausted" | "spend_cap_exceeded" | "budget_exceeded" | "credits_exhausted" | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** A key of the organization. */
  readonly key_id?: string | undefined;
  /** Only refusals of this limit. */
  readonly limit_id?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type RefusalsSummaryQuery = {
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
  /** What to add up by. */
  readonly group_by?: "code" | "limit" | "customer_id" | "workflow_id" | "key_id" | undefined;
};

export type ResidencySetBody = {
  /** Regions that may serve. Null: all. */
  readonly regions: (readonly string[]) | null;
};

export type RetentionPolicySetBody = {
  /** Days, 3 to 1095. */
  readonly runs_days: number;
  /** Days, 90 to 3650. */
  readonly audit_days: number;
  /** Days, 7 to 90. */
  readonly deliveries_days: number;
  /** Nothing is deleted while this is true. */
  readonly legal_hold?: boolean | undefined;
};

export type RoutingSetPolicyBody = {
  /** Models to choose from. */
  readonly candidates: readonly string[];
  /** What a model must have achieved to be chosen. */
  readonly eval_gate: {
    /** The name of the evaluation. */
    readonly suite: string;
    /** The lower confidence bound of the score must reach this. */
    readonly min_score: number;
    /** The fewest samples that count. */
    readonly min_samples: number;
    /** How old a result may be. */
    readonly max_age_days: number;
  };
  /** Which of the models that qualify is chosen. */
  readonly prefer: "cheapest" | "best";
  /** Used when no candidate passes. */
  readonly fallback_model?: string | undefined;
};

export type RoutingRecordEvalBody = {
  /** The name of the evaluation. */
  readonly suite: string;
  /** The model's name, as in the price book. */
  readonly model: string;
  /** From 0 to 1. */
  readonly score: number;
  /** How many samples were scored. */
  readonly samples: number;
  /** RFC 3339 with a time zone. */
  readonly run_at: string;
};

export type RoutingListEvalsQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "run_at" | "-run_at" | "created_at" | "-created_at" | undefined;
  /** Only results of this evaluation. */
  readonly suite?: string | undefined;
  /** The model's name, as in the price book. */
  readonly model?: string | undefined;
};

export type RoutingSelectBody = {
  /** Default: 1000. */
  readonly input_tokens?: number | undefined;
  /** Default: 4096. */
  readonly max_output_tokens?: number | undefined;
  /** Omit to allow any region. */
  readonly region?: string | undefined;
};

export type RunsRecordBulkBody = {
  /** The runs, in the order in which they are recorded. */
  readonly runs: readonly RunInput[];
};

export type RunsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "started_at" | "-started_at" | "cost_usd" | "-cost_usd" | undefined;
  /** The model's name, as in the price book. */
  readonly model?: string | undefined;
  /** Who serves the model. */
  readonly provider?: string | undefined;
  /** A key of the organization. */
  readonly key_id?: string | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: "completed" | "cancelled" | "failed" | "unknown" | "unreported" | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Only runs with this tag: its name, a colon and its value. */
  readonly tag?: string | undefined;
  /** Only runs that do not name this: provider, key_id, user_id, workflow_id, deployment_id, department_id, customer_id, or tag:NAME. */
  readonly without?: string | undefined;
  /** Only runs that were charged to this limit. */
  readonly limit_id?: string | undefined;
  /** Only runs with a `charged_at` from this time on: RFC 3339, or YYYY-MM-DD. */
  readonly charged_from?: string | undefined;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Your name of the chain. */
  readonly chain_id?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type RunsExportQuery = {
  /** The model's name, as in the price book. */
  readonly model?: string | undefined;
  /** Who serves the model. */
  readonly provider?: string | undefined;
  /** A key of the organization. */
  readonly key_id?: string | undefined;
  /** Your name of the person whom the call is for. */
  readonly user_id?: string | undefined;
  /** Only entries with this outcome. */
  readonly outcome?: "completed" | "cancelled" | "failed" | "unknown" | "unreported" | undefined;
  /** Your name of the workflow that the call belongs to. */
  readonly workflow_id?: string | undefined;
  /** Your name of the deployment that makes the call. */
  readonly deployment_id?: string | undefined;
  /** Your name of the department that pays. */
  readonly department_id?: string | undefined;
  /** Your name of the customer whom the call is for. */
  readonly customer_id?: string | undefined;
  /** Only runs with this tag: its name, a colon and its value. */
  readonly tag?: string | undefined;
  /** Only runs that do not name this: provider, key_id, user_id, workflow_id, deployment_id, department_id, customer_id, or tag:NAME. */
  readonly without?: string | undefined;
  /** Only runs that were charged to this limit. */
  readonly limit_id?: string | undefined;
  /** Only runs with a `charged_at` from this time on: RFC 3339, or YYYY-MM-DD. */
  readonly charged_from?: string | undefined;
  /** What the run does, for policy rules that target actions. */
  readonly action?: string | undefined;
  /** Your name of the chain. */
  readonly chain_id?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
  /** The form of the answer. */
  readonly format?: "ndjson" | "csv" | "parquet" | "focus" | undefined;
  /** The version of FOCUS, with `format=focus`. Default: 1.2. */
  readonly focus_version?: "1.2" | "1.4" | undefined;
};

export type SessionsListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
};

export type SpendCapSetBody = {
  /** Dollars as a decimal string, with at most 9 decimal places. */
  readonly cap_usd: string;
  /** IANA time zone in which days begin. */
  readonly timezone?: string | undefined;
  /** Each one sends an event once per period. */
  readonly alert_thresholds?: readonly string[] | undefined;
};

export type SsoPutBody = {
  /** Which form the object has. */
  readonly kind: "oidc";
  /** The provider's address. */
  readonly issuer: string;
  /** The client that the provider knows Sluice as. */
  readonly client_id: string;
  /** The client's secret. Stored encrypted, and never returned. */
  readonly client_secret: string;
  /** The role of people without a `svc_role` from the provider. */
  readonly default_role?: "viewer" | "developer" | "admin" | undefined;
} | {
  /** Which form the object has. */
  readonly kind: "saml";
  /** The provider's entity id. */
  readonly idp_entity_id: string;
  /** Where the provider receives sign-in requests. */
  readonly idp_sso_url: string;
  /** PEM or bare base64. Use several PEM blocks while the provider rotates its certificate. */
  readonly idp_certificate: string;
  /** The role of people without a `svc_role` from the provider. */
  readonly default_role?: "viewer" | "developer" | "admin" | undefined;
};

export type SupportOpenGrantBody = {
  /** What support may see. */
  readonly scope: "read_only" | "billing_read" | "runs_debug";
  /** Why, in your words. It is shown to whoever asks. */
  readonly reason: string;
  /** When the grant ends by itself. */
  readonly expires_in_seconds: number;
};

export type SupportListGrantsQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "expires_at" | "-expires_at" | undefined;
};

export type SupportOpenSessionBody = {
  /** `grt_` followed by a ULID. */
  readonly grant_id: string;
};

export type UsageGetQuery = {
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly from?: string | undefined;
  /** RFC 3339 timestamp or YYYY-MM-DD. */
  readonly to?: string | undefined;
};

export type UsageReportQuery = {
  /** Only runs with this model. */
  readonly model?: string | undefined;
  /** Only runs with this provider. */
  readonly provider?: string | undefined;
  /** Only runs with this key_id. */
  readonly key_id?: string | undefined;
  /** Only runs with this user_id. */
  readonly user_id?: string | undefined;
  /** Only runs with this outcome. */
  readonly outcome?: "completed" | "cancelled" | "failed" | "unknown" | "unreported" | undefined;
  /** Only runs with this workflow_id. */
  readonly workflow_id?: string | undefined;
  /** Only runs with this deployment_id. */
  readonly deployment_id?: string | undefined;
  /** Only runs with this department_id. */
  readonly department_id?: string | undefined;
  /** Only runs with this customer_id. */
  readonly customer_id?: string | undefined;
  /** Only runs with this tag: its name, a colon and its value. */
  readonly tag?: string | undefined;
  /** Only runs that do not name this: provider, key_id, user_id, workflow_id, deployment_id, department_id, customer_id, or tag:NAME. */
  readonly without?: string | undefined;
  /** RFC 3339 timestamp, or a date in `timezone`. */
  readonly from?: string | undefined;
  /** Not included. At most 400 days after `from`. */
  readonly to?: string | undefined;
  /** IANA time zone of days. Default: UTC. */
  readonly timezone?: string | undefined;
  /** One to three, separated by commas: day, week, month, model, provider, key_id, user_id, outcome, workflow_id, deployment_id, department_id, customer_id, or tag:NAME. */
  readonly group_by: string;
  /** The form of the answer. */
  readonly format?: "json" | "csv" | undefined;
  /** `cost_usd`, `runs` or `tokens`, highest first, or the first group. Default: `cost_usd`, or the first group if it is a time. */
  readonly sort?: string | undefined;
  /** How many groups are returned, 1 to 50000. Default: 1000. */
  readonly limit?: number | string | undefined;
};

export type UsageTopQuery = {
  /** What to add up by. */
  readonly by: "model" | "workflow_id" | "deployment_id" | "department_id" | "customer_id";
  /** A day in UTC. */
  readonly from?: string | undefined;
  /** Not included. Default: tomorrow. */
  readonly to?: string | undefined;
  /** The start of the days to compare with. They end with `previous_to`. Default: as many days, just before. */
  readonly previous_from?: string | undefined;
  /** A day in UTC. */
  readonly previous_to?: string | undefined;
  /** `change`: those first who spent most more or less than in the days before, also those who stopped spending. `margin`: only of customers; those first of whom least is left, then those who pay nothing that is known, the most expensive first. */
  readonly sort?: "cost_usd" | "runs" | "tokens" | "change" | "margin" | undefined;
  /** Only names with this in them, in upper or lower case. `totals` are of all. */
  readonly contains?: string | undefined;
  /** How many entries a page has. */
  readonly limit?: number | string | undefined;
};

export type UsageNamesQuery = {
  /** What names are sought. */
  readonly by: "model" | "provider" | "key_id" | "user_id" | "workflow_id" | "deployment_id" | "department_id" | "customer_id";
  /** Only names with this in them, in upper or lower case. */
  readonly contains?: string | undefined;
  /** How many names are listed. */
  readonly limit?: number | string | undefined;
};

export type UsageUnusualQuery = {
  /** Default: 7 days before `to`. */
  readonly from?: string | undefined;
  /** Not included. Default: tomorrow. */
  readonly to?: string | undefined;
};

export type WebhooksCreateBody = {
  /** `email` sends mails `to` addresses, in place of `format` and `url`. */
  readonly kind?: "webhook" | "email" | undefined;
  /** `sluice`: the event as JSON, signed. Otherwise a message as that product shows it, without a signature: then the address, or PagerDuty's routing key, is a secret and never returned whole. */
  readonly format?: "sluice" | "slack" | "teams" | "discord" | "pagerduty" | undefined;
  /** Where to deliver events: an https URL at a public address. */
  readonly url?: string | undefined;
  /** Who gets mails. Each address is first sent a link by which it confirms itself. */
  readonly to?: readonly string[] | undefined;
  /** The integration key of a PagerDuty service (Events API v2). For that format only, and required there. */
  readonly routing_key?: string | undefined;
  /** Event kinds, groups of them (`budget.*`), or `*`. */
  readonly events: readonly string[];
  /** Your words for it. */
  readonly description?: string | null | undefined;
};

export type WebhooksListQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | "url" | "-url" | undefined;
  /** Only entries with this status. */
  readonly status?: "enabled" | "disabled" | undefined;
};

export type WebhooksChangeBody = {
  /** With a new `url`, or a `routing_key` for PagerDuty. */
  readonly format?: "sluice" | "slack" | "teams" | "discord" | "pagerduty" | undefined;
  /** Where to deliver events: an https URL at a public address. */
  readonly url?: string | undefined;
  /** The integration key of a PagerDuty service (Events API v2). For that format only, and required there. */
  readonly routing_key?: string | undefined;
  /** Who gets mails. Each address is first sent a link by which it confirms itself. */
  readonly to?: readonly string[] | undefined;
  /** Event kinds, groups of them (`budget.*`), or `*`. */
  readonly events?: readonly string[] | undefined;
  /** Your words for it. */
  readonly description?: string | null | undefined;
  /** A disabled webhook receives nothing. */
  readonly status?: "enabled" | "disabled" | undefined;
};

export type WebhooksRotateSigningBody = {
  /** How long the previous secret keeps working. */
  readonly grace_seconds?: number | undefined;
};

export type WebhooksListDeliveriesQuery = {
  /** 1 to 200. Default: 50. */
  readonly limit?: number | string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Field to sort by. Prefix with `-` for descending order. */
  readonly sort?: "created_at" | "-created_at" | undefined;
  /** Only entries with this status. */
  readonly status?: "pending" | "succeeded" | "failed" | undefined;
  /** Only deliveries of this kind of event. */
  readonly event_type?: "run.recorded" | "run.over_limit" | "reservation.expired" | "budget.threshold_crossed" | "budget.exceeded" | "spend_cap.exceeded" | "customer_limit.exceeded" | "credit_pack.depleted" | "credit_pack.expired" | "quota.low" | "quota.exhausted" | "plan.limit_reached" | "policy.blocked" | "policy.approval_requested" | "policy.approval_decided" | "safety.blocked" | "key.created" | "key.rotated" | "key.revoked" | "org.suspended" | "org.resumed" | "webhook.disabled" | "support.grant_opened" | "support.grant_closed" | "test.ping" | "run.adjusted" | "run.replaced" | "spend_cap.threshold_crossed" | "customer_limit.threshold_crossed" | "credit_pack.threshold_crossed" | "quota.threshold_crossed" | "plan.threshold_crossed" | "spend.unusual" | "digest.ready" | undefined;
  /** `evt_` followed by a ULID. */
  readonly event_id?: string | undefined;
};

export type WebhooksRecoverBody = {
  /** RFC 3339 with a time zone. */
  readonly since: string;
};

/** Every code that a call may be refused with. */
export interface Refusals {
  /** The request is malformed. Check it against the documentation of this operation. */
  readonly bad_request: { readonly status: 400; readonly details: Readonly<Record<string, never>> };
  /** No valid API key was sent. Send `Authorization: Bearer <API_KEY>`. */
  readonly unauthorized: { readonly status: 401; readonly details: Readonly<Record<string, never>> };
  /** This API key is expired or not yet valid. Use a key that is valid now. */
  readonly key_expired: { readonly status: 401; readonly details: Readonly<Record<string, never>> };
  /** This console session was revoked or has expired. Sign in again. */
  readonly session_revoked: { readonly status: 401; readonly details: Readonly<Record<string, never>> };
  /** The role of this key does not allow this operation. */
  readonly forbidden: { readonly status: 403; readonly details: {
      /** In a run that settles a reservation: the field that names something else than that. */
      readonly field?: string | undefined;
    } };
  /** This key lacks a required scope. Scopes are fixed when a key is created: create a key that has details.required. */
  readonly missing_scope: { readonly status: 403; readonly details: {
      /** The scope that the key lacks. */
      readonly required: string;
    } };
  /** The caller's address is outside the organization's allow-list. */
  readonly ip_not_allowed: { readonly status: 403; readonly details: Readonly<Record<string, never>> };
  /** This organization is suspended. Contact the operator of the service. */
  readonly org_suspended: { readonly status: 403; readonly details: Readonly<Record<string, never>> };
  /** The organization's residency rule does not allow this operation in this region. */
  readonly residency_violation: { readonly status: 403; readonly details: Readonly<Record<string, never>> };
  /** A policy rule of the organization blocks this model or action. */
  readonly policy_blocked: { readonly status: 403; readonly details: {
      readonly reason: string;
      /** The model or action that was attempted. */
      readonly attempted: string;
      /** The rule that decided. */
      readonly rule_id: string;
    } };
  /** A policy rule requires approval. Once approved, the same attempt is allowed. */
  readonly policy_approval_required: { readonly status: 403; readonly details: {
      readonly reason: string;
      /** The model or action that was attempted. */
      readonly attempted: string;
      /** The rule that decided. */
      readonly rule_id: string;
      /** The pending approval. Once approved, the same attempt is allowed. */
      readonly approval_id?: string | undefined;
    } };
  /** A content safety detector matched the input. */
  readonly content_safety_blocked: { readonly status: 403; readonly details: {
      /** The detector that matched. */
      readonly detector: string;
      /** The excerpt that matched. */
      readonly sample: string;
    } };
  /** This operation is outside the scope of the support grant. Ask an owner for a grant with a wider scope. */
  readonly support_scope_denied: { readonly status: 403; readonly details: {
      readonly reason: string;
      readonly scope: string;
      readonly method: string;
    } };
  /** The route or resource does not exist, or this key cannot access it. */
  readonly not_found: { readonly status: 404; readonly details: Readonly<Record<string, never>> };
  /** The operation conflicts with the current state of the resource. */
  readonly conflict: { readonly status: 409; readonly details: Readonly<Record<string, never>> };
  /** This Idempotency-Key was used with a different request. Use a new key for a new request. */
  readonly idempotency_key_conflict: { readonly status: 409; readonly details: Readonly<Record<string, never>> };
  /** A request with this Idempotency-Key is still in progress. Retry shortly to get its response. */
  readonly idempotency_key_processing: { readonly status: 409; readonly details: Readonly<Record<string, never>> };
  /** This resource is permanently unavailable. */
  readonly gone: { readonly status: 410; readonly details: Readonly<Record<string, never>> };
  /** The body is larger than this operation accepts. Bulk operations accept batches: send smaller ones. */
  readonly payload_too_large: { readonly status: 413; readonly details: Readonly<Record<string, never>> };
  /** The request has invalid fields; see details.fields. */
  readonly validation_failed: { readonly status: 422; readonly details: {
      readonly fields: readonly {
        /** Path of the offending field, with dots and brackets. */
        readonly field: string;
        /** What is wrong with the field. New codes may be added. */
        readonly code: string;
        readonly message: string;
      }[];
    } };
  /** The cohort has too few contributing organizations for an aggregate. */
  readonly insufficient_cohort_size: { readonly status: 400; readonly details: {
      readonly minimum_cohort_size: number;
    } };
  /** The daily spend cap would be exceeded. It resets at details.resets_at. */
  readonly spend_cap_exceeded: { readonly status: 402; readonly details: {
      /** Dollars as a decimal string. */
      readonly cap_usd: string;
      /** Dollars as a decimal string. */
      readonly spent_usd: string;
      /** ISO-8601 timestamp with offset. */
      readonly resets_at: string;
      /** `pre_flight`: refused before cost was incurred. */
      readonly reason?: string | undefined;
    } };
  /** The budget of this run chain would be exceeded. */
  readonly chain_budget_exceeded: { readonly status: 402 | 429; readonly details: {
      /** The limit that was exceeded. */
      readonly reason: "cost" | "depth" | "tokens";
      readonly current: string | number;
      readonly attempted: string | number;
      readonly limit: string | number;
    } };
  /** A budget or customer limit for the period would be exceeded. */
  readonly budget_exceeded: { readonly status: 402; readonly details: {
      readonly budget_id: string;
      readonly scope_kind: "org" | "workflow" | "deployment" | "department" | "customer" | "match";
      /** Dollars as a decimal string. */
      readonly limit_usd: string;
      /** Dollars as a decimal string. */
      readonly spent_usd: string;
      /** What the budget counts, if not dollars. Then `limit` and `spent` say how much. */
      readonly unit?: "usd" | "tokens" | "runs" | undefined;
      readonly limit?: number | undefined;
      readonly spent?: number | undefined;
      /** The value whose counter is full, of a budget with `group_by`. Null: calls without one. */
      readonly group?: string | null | undefined;
      /** The same, by the names in `group_by`. */
      readonly group_values?: Readonly<Record<string, string | null>> | undefined;
      readonly period_start: string;
      readonly period_end: string | null;
    } };
  /** A quota is exhausted: top up the prepaid balance, or wait for the window to end. */
  readonly quota_exhausted: { readonly status: 402 | 429; readonly details: {
      readonly quota: "prepaid";
      /** Dollars as a decimal string. */
      readonly available_usd: string;
      /** Dollars as a decimal string. */
      readonly attempted_usd: string;
    } | {
      readonly quota: "window";
      readonly policy_id: string;
      readonly limit: number;
      readonly used: number;
      readonly window_seconds: number;
      readonly resets_at: string;
      /** What the call asks for, if that is more than the whole limit. Then waiting does not help. */
      readonly attempted?: number | undefined;
    } | {
      readonly quota: "window";
      /** The policy counts dollars. */
      readonly unit: "usd";
      readonly policy_id: string;
      /** Dollars as a decimal string. */
      readonly limit_usd: string;
      /** Dollars as a decimal string. */
      readonly used_usd: string;
      readonly window_seconds: number;
      readonly resets_at: string;
      /** What the call may cost, if that is more than the whole limit. Then waiting does not help. */
      readonly attempted_usd?: string | undefined;
    } };
  /** The customer's remaining credits cannot cover this charge. */
  readonly credits_exhausted: { readonly status: 402; readonly details: {
      /** Dollars as a decimal string. */
      readonly available_usd: string;
      /** Dollars as a decimal string. */
      readonly attempted_usd: string;
    } };
  /** The plan's monthly entitlement is used up. It resets at the end of the month or when the plan changes. */
  readonly plan_limit_exceeded: { readonly status: 402; readonly details: {
      readonly limit_kind: "runs" | "tokens";
      readonly limit: number;
      readonly used: number;
    } };
  /** Too many requests. Retry after the interval in Retry-After. */
  readonly rate_limited: { readonly status: 429; readonly details: {
      readonly retry_after_seconds: number;
      /** Only with `attempted`. */
      readonly limit?: number | undefined;
      /** What the call asks for, if that is more than the whole limit. Then waiting does not help. */
      readonly attempted?: number | undefined;
      /** Only with `attempted_usd`. */
      readonly limit_usd?: string | undefined;
      /** What the call may cost, if that is more than the whole limit. Then waiting does not help. */
      readonly attempted_usd?: string | undefined;
    } };
  /** A policy rule failed to evaluate. Fix or remove the rule named in details.rule_id. */
  readonly policy_expression_error: { readonly status: 500; readonly details: {
      readonly rule_id: string;
    } };
  /** An internal error occurred. Quote the x-svc-trace-id header when you report it. */
  readonly internal: { readonly status: 500; readonly details: Readonly<Record<string, never>> };
  /** No eligible model meets the configured minimum eval score, and there is no fallback model. */
  readonly no_model_passes_eval: { readonly status: 503; readonly details: Readonly<Record<string, never>> };
  /** A dependency is unavailable. Retry with backoff. */
  readonly service_unavailable: { readonly status: 503; readonly details: Readonly<Record<string, never>> };
}

/** Every operation of the API. */
export interface Operations {
  readonly adjustments: {
    /** Adjust what a run cost. `POST /v1/runs/{run_id}/adjustments` */
    create(runId: string, body: AdjustmentsCreateBody, options?: CallOptions): Answer<Adjustment>;
    /** List the adjustments of a run. `GET /v1/runs/{run_id}/adjustments` */
    list(runId: string, query?: AdjustmentsListQuery, options?: ListOptions): Pages<Adjustment>;
  };
  readonly adminBenchmarks: {
    /** Create a benchmark cohort. `POST /v1/admin/benchmarks/cohorts` */
    create(body: AdminBenchmarksCreateBody, options?: CallOptions): Answer<CohortWithMembers>;
    /** Replace the members of a benchmark cohort. `PUT /v1/admin/benchmarks/cohorts/{cohort_id}/members` */
    setMembers(cohortId: string, body: AdminBenchmarksSetMembersBody, options?: CallOptions): Answer<CohortWithMembers>;
  };
  readonly adminOrgs: {
    /** Create an organization and its owner key. `POST /v1/admin/orgs` */
    create(body: AdminOrgsCreateBody, options?: CallOptions): Answer<{
      readonly org: Org;
      /** Returned only in this response. */
      readonly owner_key: string;
    }>;
    /** List organizations. `GET /v1/admin/orgs` */
    list(query?: AdminOrgsListQuery, options?: ListOptions): Pages<Org>;
    /** Download a signed archive of an organization. `GET /v1/admin/orgs/{org_id}/backup` */
    backup(orgId: string, options?: CallOptions): Answer<Response>;
    /** Import an organization from a backup. `POST /v1/admin/orgs/import` */
    import(options?: CallOptions): Answer<{
      /** `org_` followed by a ULID. */
      readonly org_id: string;
      /** `bak_` followed by a ULID. */
      readonly archive_id: string;
      readonly home_region: string;
      /** False if this archive had been imported before. */
      readonly imported: boolean;
    }>;
    /** Move an organization to another region. `POST /v1/admin/orgs/{org_id}/move` */
    move(orgId: string, body: AdminOrgsMoveBody, options?: CallOptions): Answer<{
      /** `org_` followed by a ULID. */
      readonly org_id: string;
      readonly from_region: string;
      readonly home_region: string;
      /** False if its home was there already. */
      readonly moved: boolean;
      readonly archive_id: string | null;
      /** How long writes waited. */
      readonly writes_waited_ms: number;
    }>;
    /** Give up a move that has not reached the other region. `DELETE /v1/admin/orgs/{org_id}/move` */
    undoMove(orgId: string, options?: CallOptions): Answer<{
      /** `org_` followed by a ULID. */
      readonly org_id: string;
      readonly home_region: string;
    }>;
    /** Restore an organization to what it was at a time of the last 30 days. `POST /v1/admin/orgs/{org_id}/restore` */
    restore(orgId: string, body: AdminOrgsRestoreBody, options?: CallOptions): Answer<{
      readonly org: Org;
      /** RFC 3339 in UTC. */
      readonly restored_to: string;
      /** The platform's name of the state before. */
      readonly undo_bookmark: string;
    }>;
    /** Read an organization. `GET /v1/admin/orgs/{org_id}` */
    get(orgId: string, options?: CallOptions): Answer<Org>;
    /** Change an organization's name or plan. `PATCH /v1/admin/orgs/{org_id}` */
    change(orgId: string, body?: AdminOrgsChangeBody, options?: CallOptions): Answer<Org>;
    /** Suspend an organization. When the call returns, its keys no longer work in any region. `POST /v1/admin/orgs/{org_id}/suspend` */
    suspend(orgId: string, body?: AdminOrgsSuspendBody, options?: CallOptions): Answer<Org>;
    /** Resume a suspended organization. `POST /v1/admin/orgs/{org_id}/resume` */
    resume(orgId: string, body?: AdminOrgsResumeBody, options?: CallOptions): Answer<Org>;
    /** Move a test organization's clock forward. `POST /v1/admin/orgs/{org_id}/test-clock` */
    advanceTestClock(orgId: string, body: AdminOrgsAdvanceTestClockBody, options?: CallOptions): Answer<{
      /** RFC 3339 in UTC. */
      readonly now: string;
    }>;
  };
  readonly adminOverview: {
    /** See every organization at a glance. `GET /v1/admin/overview` */
    get(query?: AdminOverviewGetQuery, options?: ListOptions): Pages<OverviewEntry>;
  };
  readonly adminPepper: {
    /** See what still needs the previous pepper. `GET /v1/admin/pepper` */
    list(query?: AdminPepperListQuery, options?: ListOptions): Pages<PepperLeft>;
  };
  readonly approvals: {
    /** List approvals. `GET /v1/orgs/{id}/approvals` */
    list(query?: ApprovalsListQuery, options?: ListOptions): Pages<Approval>;
    /** Read an approval. `GET /v1/orgs/{id}/approvals/{approval_id}` */
    get(approvalId: string, options?: CallOptions): Answer<Approval>;
    /** Approve a pending attempt, so that the same attempt is allowed once. `POST /v1/orgs/{id}/approvals/{approval_id}/approve` */
    approve(approvalId: string, body?: ApprovalsApproveBody, options?: CallOptions): Answer<Approval>;
    /** Deny a pending attempt. `POST /v1/orgs/{id}/approvals/{approval_id}/deny` */
    deny(approvalId: string, body?: ApprovalsDenyBody, options?: CallOptions): Answer<Approval>;
  };
  readonly auditLog: {
    /** List the audit trail. `GET /v1/orgs/{id}/audit-log` */
    list(query?: AuditLogListQuery, options?: ListOptions): Pages<AuditEntry>;
    /** Export the audit trail of a time range as a stream. `GET /v1/orgs/{id}/audit-log/export` */
    export(query: AuditLogExportQuery, options?: CallOptions): Answer<Response>;
    /** Verify the hash chain of the audit trail. `GET /v1/orgs/{id}/audit-log/verify` */
    verify(options?: CallOptions): Answer<AuditVerification>;
  };
  readonly benchmarks: {
    /** Read whether your organization contributes to benchmark cohorts. `GET /v1/orgs/{id}/benchmark-profile` */
    getProfile(options?: CallOptions): Answer<BenchmarkProfile>;
    /** Contribute to benchmark cohorts, or stop. `PUT /v1/orgs/{id}/benchmark-profile` */
    setProfile(body: BenchmarksSetProfileBody, options?: CallOptions): Answer<BenchmarkProfile>;
    /** List the benchmark cohorts of your organization. `GET /v1/benchmarks/cohorts` */
    list(query?: BenchmarksListQuery, options?: ListOptions): Pages<Cohort>;
    /** Read a benchmark cohort and your own value. `GET /v1/benchmarks/cohorts/{cohort_id}` */
    get(cohortId: string, options?: CallOptions): Answer<CohortReading>;
  };
  readonly budgetIncreases: {
    /** Raise a budget's limit until a time. `POST /v1/orgs/{id}/budgets/{budget_id}/increases` */
    create(budgetId: string, body: BudgetIncreasesCreateBody, options?: CallOptions): Answer<BudgetIncrease>;
    /** List the increases of a budget. `GET /v1/orgs/{id}/budgets/{budget_id}/increases` */
    list(budgetId: string, options?: CallOptions): Answer<{
      readonly data: readonly BudgetIncrease[];
      /** Pass as `cursor` to get the next page. Null on the last page. */
      readonly next_cursor: string | null;
    }>;
    /** Read an increase of a budget. `GET /v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}` */
    get(budgetId: string, increaseId: string, options?: CallOptions): Answer<BudgetIncrease>;
    /** Revoke an increase of a budget. `DELETE /v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}` */
    revoke(budgetId: string, increaseId: string, options?: CallOptions): Answer<void>;
  };
  readonly budgets: {
    /** Create a budget. `POST /v1/orgs/{id}/budgets` */
    create(body: BudgetsCreateBody, options?: CallOptions): Answer<Budget>;
    /** List budgets. `GET /v1/orgs/{id}/budgets` */
    list(query?: BudgetsListQuery, options?: ListOptions): Pages<Budget>;
    /** Read a budget. `GET /v1/orgs/{id}/budgets/{budget_id}` */
    get(budgetId: string, options?: CallOptions): Answer<Budget>;
    /** Change a budget. `PATCH /v1/orgs/{id}/budgets/{budget_id}` */
    change(budgetId: string, body?: BudgetsChangeBody, options?: CallOptions): Answer<Budget>;
    /** Delete a budget. `DELETE /v1/orgs/{id}/budgets/{budget_id}` */
    delete(budgetId: string, options?: CallOptions): Answer<void>;
    /** List the counters of a budget with group_by. `GET /v1/orgs/{id}/budgets/{budget_id}/groups` */
    listGroups(budgetId: string, query?: BudgetsListGroupsQuery, options?: ListOptions): Pages<BudgetGroup>;
  };
  readonly chainBudget: {
    /** Read the run chain budget. `GET /v1/orgs/{id}/chain-budget` */
    get(options?: CallOptions): Answer<ChainBudget>;
    /** Set the run chain budget. `PUT /v1/orgs/{id}/chain-budget` */
    set(body?: ChainBudgetSetBody, options?: CallOptions): Answer<ChainBudget>;
    /** Remove the run chain budget. `DELETE /v1/orgs/{id}/chain-budget` */
    delete(options?: CallOptions): Answer<void>;
  };
  readonly consoleLinks: {
    /** Create a link that signs in to the console. `POST /v1/orgs/{id}/console-links` */
    create(options?: CallOptions): Answer<ConsoleLink>;
  };
  readonly contentSafety: {
    /** Read the content safety detectors. `GET /v1/orgs/{id}/content-safety` */
    get(options?: CallOptions): Answer<ContentSafety>;
    /** Set the content safety detectors. `PUT /v1/orgs/{id}/content-safety` */
    set(body: ContentSafetySetBody, options?: CallOptions): Answer<ContentSafety>;
    /** Try the detectors on an input. `POST /v1/orgs/{id}/content-safety/evaluate` */
    evaluate(body: ContentSafetyEvaluateBody, options?: CallOptions): Answer<SafetyEvaluation>;
  };
  readonly creditPacks: {
    /** Grant credits to a customer. `POST /v1/orgs/{id}/credit-packs` */
    create(body: CreditPacksCreateBody, options?: CallOptions): Answer<CreditPack>;
    /** List credit packs. `GET /v1/orgs/{id}/credit-packs` */
    list(query?: CreditPacksListQuery, options?: ListOptions): Pages<CreditPack>;
    /** Read a credit pack. `GET /v1/orgs/{id}/credit-packs/{pack_id}` */
    get(packId: string, options?: CallOptions): Answer<CreditPack>;
    /** Void a credit pack. `POST /v1/orgs/{id}/credit-packs/{pack_id}/void` */
    void(packId: string, body?: CreditPacksVoidBody, options?: CallOptions): Answer<CreditPack>;
  };
  readonly customerLimits: {
    /** Limit what a customer may spend. `POST /v1/orgs/{id}/customer-limits` */
    create(body: CustomerLimitsCreateBody, options?: CallOptions): Answer<CustomerLimit>;
    /** List customer limits. `GET /v1/orgs/{id}/customer-limits` */
    list(query?: CustomerLimitsListQuery, options?: ListOptions): Pages<CustomerLimit>;
    /** Read a customer limit. `GET /v1/orgs/{id}/customer-limits/{limit_id}` */
    get(limitId: string, options?: CallOptions): Answer<CustomerLimit>;
    /** Change a customer limit. `PATCH /v1/orgs/{id}/customer-limits/{limit_id}` */
    change(limitId: string, body?: CustomerLimitsChangeBody, options?: CallOptions): Answer<CustomerLimit>;
    /** Delete a customer limit. `DELETE /v1/orgs/{id}/customer-limits/{limit_id}` */
    delete(limitId: string, options?: CallOptions): Answer<void>;
  };
  readonly customers: {
    /** List customers and how they stand. `GET /v1/orgs/{id}/customers` */
    list(query?: CustomersListQuery, options?: ListOptions): Pages<CustomerStanding>;
    /** Read how a customer stands. `GET /v1/orgs/{id}/customers/{customer_id}` */
    get(customerId: string, query?: CustomersGetQuery, options?: CallOptions): Answer<Customer>;
    /** Set what a customer is called and pays. `PUT /v1/orgs/{id}/customers/{customer_id}` */
    set(customerId: string, body?: CustomersSetBody, options?: CallOptions): Answer<CustomerStanding>;
    /** Create a token for one customer. `POST /v1/orgs/{id}/customers/{customer_id}/tokens` */
    mintToken(customerId: string, body: CustomersMintTokenBody, options?: CallOptions): Answer<CustomerToken>;
    /** Read how the customer of a token stands. `GET /v1/customer` */
    own(options?: CallOptions): Answer<Customer>;
    /** Report the usage of a token's customer. `GET /v1/customer/usage` */
    ownUsage(query?: CustomersOwnUsageQuery & { readonly format?: "json" | undefined }, options?: CallOptions): Answer<UsageReport>;
    ownUsage(query: CustomersOwnUsageQuery & { readonly format: "csv" }, options?: CallOptions): Answer<Response>;
    ownUsage(query?: CustomersOwnUsageQuery, options?: CallOptions): Answer<UsageReport | Response>;
  };
  readonly decisions: {
    /** Decide whether a run may go ahead. `POST /v1/edge/decision` */
    decide(body: DecisionsDecideBody, options?: CallOptions): Answer<Verdict>;
    /** Decide whether many runs may go ahead. `POST /v1/edge/decisions` */
    decideMany(body: DecisionsDecideManyBody, options?: CallOptions): Answer<{
      /** In the order of the asks: a verdict, or the error of the ask. */
      readonly results: readonly (Verdict | {
        readonly error: {
          readonly code: string;
          readonly message: string;
          readonly details: Readonly<Record<string, unknown>>;
        };
      })[];
    }>;
    /** Renew a reservation. `POST /v1/edge/decision/{reservation_id}/renew` */
    renew(reservationId: string, body?: DecisionsRenewBody, options?: CallOptions): Answer<{
      readonly reservation: {
        /** `rsv_` followed by a ULID. */
        readonly id: string;
        /** Dollars as a decimal string. */
        readonly amount_usd: string;
        /** RFC 3339 in UTC. */
        readonly expires_at: string;
      };
    }>;
    /** Release a reservation. `DELETE /v1/edge/decision/{reservation_id}` */
    release(reservationId: string, options?: CallOptions): Answer<void>;
  };
  readonly deprecatedCalls: {
    /** List which of your keys still call deprecated routes. `GET /v1/orgs/{id}/deprecated-calls` */
    list(options?: CallOptions): Answer<{
      readonly data: readonly {
        readonly method: string;
        readonly route: string;
        readonly key_id: string;
        readonly calls: number;
        /** RFC 3339 in UTC. */
        readonly last_called_at: string;
      }[];
    }>;
  };
  readonly deprecations: {
    /** List deprecated routes. `GET /v1/meta/deprecations` */
    list(options?: CallOptions): Answer<readonly DeprecationEntry[]>;
    /** Flag a route as deprecated, or extend its sunset. `PUT /v1/admin/deprecations` */
    flag(body: DeprecationsFlagBody, options?: CallOptions): Answer<DeprecationEntry>;
  };
  readonly digests: {
    /** Set a digest. `PUT /v1/orgs/{id}/digests/{name}` */
    put(name: string, body: DigestsPutBody, options?: CallOptions): Answer<DigestSettings>;
    /** Read when a digest is made, and for whom. `GET /v1/orgs/{id}/digests/{name}` */
    get(name: string, options?: CallOptions): Answer<DigestSettings>;
    /** List digests. `GET /v1/orgs/{id}/digests` */
    list(query?: DigestsListQuery, options?: ListOptions): Pages<DigestSettings>;
    /** Delete a digest. `DELETE /v1/orgs/{id}/digests/{name}` */
    delete(name: string, options?: CallOptions): Answer<void>;
    /** Make a digest now, and send it to nobody. `POST /v1/orgs/{id}/digests/{name}/preview` */
    preview(name: string, options?: CallOptions): Answer<Digest>;
  };
  readonly edgeFallbacks: {
    /** Find the fallbacks of a call. `POST /v1/edge/fallbacks` */
    find(body: EdgeFallbacksFindBody, options?: CallOptions): Answer<{
      /** The rules that apply to the call, by name. */
      readonly rules: readonly FallbackRule[];
    }>;
  };
  readonly edgeLeases: {
    /** Lease parts of the limits to a gate in your own process. `POST /v1/edge/leases` */
    exchange(body: EdgeLeasesExchangeBody, options?: CallOptions): Answer<LeaseReply>;
  };
  readonly events: {
    /** List events. `GET /v1/orgs/{id}/events` */
    list(query?: EventsListQuery, options?: ListOptions): Pages<Event>;
  };
  readonly explain: {
    /** Explain a decision or a run. `POST /v1/orgs/{id}/explain` */
    explain(body: ExplainExplainBody, options?: CallOptions): Answer<Explanation>;
  };
  readonly exports: {
    /** List scheduled exports. `GET /v1/orgs/{id}/exports` */
    list(query?: ExportsListQuery, options?: ListOptions): Pages<ScheduledExport>;
    /** Set a scheduled export. `PUT /v1/orgs/{id}/exports/{name}` */
    put(name: string, body: ExportsPutBody, options?: CallOptions): Answer<ScheduledExport>;
    /** Read a scheduled export. `GET /v1/orgs/{id}/exports/{name}` */
    get(name: string, options?: CallOptions): Answer<ScheduledExport>;
    /** Delete a scheduled export. `DELETE /v1/orgs/{id}/exports/{name}` */
    delete(name: string, options?: CallOptions): Answer<void>;
    /** List the windows of a scheduled export. `GET /v1/orgs/{id}/exports/{name}/windows` */
    windows(name: string, query?: ExportsWindowsQuery, options?: ListOptions): Pages<ExportWindow>;
  };
  readonly extAuthz: {
    /** Decide for a proxy that asks in headers. `POST /v1/edge/ext-authz` */
    check(options?: CallOptions): Answer<Verdict>;
  };
  readonly fallbacks: {
    /** List fallbacks. `GET /v1/orgs/{id}/fallbacks` */
    list(query?: FallbacksListQuery, options?: ListOptions): Pages<Fallback>;
    /** Set a fallback. `PUT /v1/orgs/{id}/fallbacks/{name}` */
    put(name: string, body: FallbacksPutBody, options?: CallOptions): Answer<Fallback>;
    /** Read a fallback. `GET /v1/orgs/{id}/fallbacks/{name}` */
    get(name: string, options?: CallOptions): Answer<Fallback>;
    /** Delete a fallback. `DELETE /v1/orgs/{id}/fallbacks/{name}` */
    delete(name: string, options?: CallOptions): Answer<void>;
  };
  readonly forecasts: {
    /** Project a deployment's return linearly by team count. `GET /v1/forecast` */
    linear(query: ForecastsLinearQuery, options?: CallOptions): Answer<{
      readonly deployment_id: string;
      readonly teams: number;
      /** Dollars as a decimal string. */
      readonly projected_return_usd: string;
      readonly method: "linear";
    }>;
    /** Forecast usage and when each budget is used up. `GET /v1/capacity/forecasts` */
    capacity(query?: ForecastsCapacityQuery, options?: CallOptions): Answer<CapacityForecasts>;
  };
  readonly guardrail: {
    /** Decide for LiteLLM. `POST /v1/edge/guardrail` */
    check(body: GuardrailCheckBody, options?: CallOptions): Answer<GuardrailReply>;
  };
  readonly keys: {
    /** Create an API key. `POST /v1/orgs/{id}/keys` */
    mint(body: KeysMintBody, options?: CallOptions): Answer<KeyWithSecret>;
    /** List API keys. `GET /v1/orgs/{id}/keys` */
    list(query?: KeysListQuery, options?: ListOptions): Pages<Key>;
    /** Read an API key's record. `GET /v1/orgs/{id}/keys/{key_id}` */
    get(keyId: string, options?: CallOptions): Answer<Key>;
    /** Revoke an API key. When the call returns, the key no longer works in any region. `DELETE /v1/orgs/{id}/keys/{key_id}` */
    revoke(keyId: string, options?: CallOptions): Answer<void>;
    /** Rotate the secret of an API key. `POST /v1/orgs/{id}/keys/{key_id}/rotate` */
    rotate(keyId: string, body?: KeysRotateBody, options?: CallOptions): Answer<KeyWithSecret>;
  };
  readonly limits: {
    /** List the limits that run out next. `GET /v1/orgs/{id}/limits` */
    list(query?: LimitsListQuery, options?: CallOptions): Answer<LimitsInUse>;
  };
  readonly meta: {
    /** List error codes. `GET /v1/meta/errors` */
    errors(options?: CallOptions): Answer<{
      readonly data: readonly ErrorCatalogEntry[];
    }>;
    /** Get this API as an OpenAPI 3.1 document. `GET /v1/openapi.json` */
    openapi(options?: CallOptions): Answer<{
      readonly openapi: string;
    } & Readonly<Record<string, unknown>>>;
  };
  readonly models: {
    /** Read a model's price. `GET /v1/orgs/{id}/models/{model}` */
    get(model: string, options?: CallOptions): Answer<Model>;
    /** List the price book. `GET /v1/orgs/{id}/models` */
    list(query?: ModelsListQuery, options?: ListOptions): Pages<Model>;
    /** Set a model's price. `PUT /v1/orgs/{id}/models/{model}` */
    set(model: string, body: ModelsSetBody, options?: CallOptions): Answer<Model>;
    /** Remove a model's price. `DELETE /v1/orgs/{id}/models/{model}` */
    delete(model: string, options?: CallOptions): Answer<void>;
    /** List the revisions of a model's price. `GET /v1/orgs/{id}/models/{model}/prices` */
    prices(model: string, query?: ModelsPricesQuery, options?: ListOptions): Pages<PriceRevision>;
  };
  readonly orgMetrics: {
    /** Read the org's limits as gauges for Prometheus. `GET /v1/orgs/{id}/metrics` */
    get(options?: CallOptions): Answer<Response>;
  };
  readonly orgs: {
    /** Read your organization. `GET /v1/orgs/{id}` */
    get(options?: CallOptions): Answer<Org>;
    /** Change your organization's name, IP allow-list or decision defaults. `PATCH /v1/orgs/{id}` */
    change(body?: OrgsChangeBody, options?: CallOptions): Answer<Org>;
  };
  readonly plans: {
    /** Read your plan and its usage. `GET /v1/orgs/{id}/plan` */
    get(options?: CallOptions): Answer<PlanInUse>;
    /** List plans. `GET /v1/admin/plans` */
    list(query?: PlansListQuery, options?: ListOptions): Pages<Plan>;
    /** Create or change a plan. `PUT /v1/admin/plans/{plan}` */
    set(plan: string, body: PlansSetBody, options?: CallOptions): Answer<Plan>;
  };
  readonly policyRules: {
    /** Create a policy rule. `POST /v1/orgs/{id}/policy-rules` */
    create(body: PolicyRulesCreateBody, options?: CallOptions): Answer<PolicyRule>;
    /** List policy rules. `GET /v1/orgs/{id}/policy-rules` */
    list(query?: PolicyRulesListQuery, options?: ListOptions): Pages<PolicyRule>;
    /** Evaluate the rules without recording a run. `POST /v1/orgs/{id}/policy-rules/evaluate` */
    evaluate(body?: PolicyRulesEvaluateBody, options?: CallOptions): Answer<PolicyEvaluation>;
    /** Read a policy rule. `GET /v1/orgs/{id}/policy-rules/{rule_id}` */
    get(ruleId: string, options?: CallOptions): Answer<PolicyRule>;
    /** Change a policy rule. `PATCH /v1/orgs/{id}/policy-rules/{rule_id}` */
    change(ruleId: string, body?: PolicyRulesChangeBody, options?: CallOptions): Answer<PolicyRule>;
    /** Delete a policy rule. `DELETE /v1/orgs/{id}/policy-rules/{rule_id}` */
    delete(ruleId: string, options?: CallOptions): Answer<void>;
  };
  readonly priceBook: {
    /** Read the platform's price book. `GET /v1/admin/price-book` */
    get(options?: CallOptions): Answer<PriceBook>;
    /** Replace the platform's price book. `PUT /v1/admin/price-book` */
    set(body: PriceBookSetBody, options?: CallOptions): Answer<PriceBook>;
  };
  readonly prices: {
    /** Find the price of a call. `GET /v1/orgs/{id}/prices/resolve` */
    resolve(query: PricesResolveQuery, options?: CallOptions): Answer<ResolvedPrice>;
  };
  readonly providerKeys: {
    /** List keys of providers. `GET /v1/orgs/{id}/provider-keys` */
    list(query?: ProviderKeysListQuery, options?: ListOptions): Pages<ProviderKey>;
    /** Set a key of a provider. `PUT /v1/orgs/{id}/provider-keys/{provider}` */
    put(provider: string, body: ProviderKeysPutBody, options?: CallOptions): Answer<ProviderKey>;
    /** Read a key of a provider. `GET /v1/orgs/{id}/provider-keys/{provider}` */
    get(provider: string, options?: CallOptions): Answer<ProviderKey>;
    /** Delete a key of a provider. `DELETE /v1/orgs/{id}/provider-keys/{provider}` */
    delete(provider: string, options?: CallOptions): Answer<void>;
  };
  readonly quota: {
    /** Read the prepaid balance. `GET /v1/orgs/{id}/quota` */
    get(options?: CallOptions): Answer<Quota>;
    /** Make an organization prepaid. `PUT /v1/orgs/{id}/quota` */
    set(body?: QuotaSetBody, options?: CallOptions): Answer<Quota>;
    /** Remove the prepaid quota. `DELETE /v1/orgs/{id}/quota` */
    delete(options?: CallOptions): Answer<void>;
    /** Top up the prepaid balance. `POST /v1/orgs/{id}/quota/top-ups` */
    topUp(body: QuotaTopUpBody, options?: CallOptions): Answer<Quota>;
  };
  readonly rateLimits: {
    /** Read an organization's rate limits. `GET /v1/admin/orgs/{org_id}/rate-limits` */
    get(orgId: string, options?: CallOptions): Answer<RateLimits>;
    /** Replace an organization's read limit and rate-limit policies. `PUT /v1/admin/orgs/{org_id}/rate-limits` */
    set(orgId: string, body: RateLimitsSetBody, options?: CallOptions): Answer<RateLimits>;
    /** Read the rate limits of your organization, and how much of each is used. `GET /v1/orgs/{id}/rate-limits` */
    getOwn(options?: CallOptions): Answer<OwnRateLimits>;
  };
  readonly refusals: {
    /** List refusals. `GET /v1/orgs/{id}/refusals` */
    list(query?: RefusalsListQuery, options?: ListOptions): Pages<KeptRefusal>;
    /** Count refusals by hour. `GET /v1/orgs/{id}/refusals/summary` */
    summary(query?: RefusalsSummaryQuery, options?: CallOptions): Answer<RefusalSummary>;
  };
  readonly residency: {
    /** Read the regions that may serve your organization's calls. `GET /v1/orgs/{id}/residency` */
    get(options?: CallOptions): Answer<Residency>;
    /** Set the regions that may serve your organization's calls. `PUT /v1/orgs/{id}/residency` */
    set(body: ResidencySetBody, options?: CallOptions): Answer<Residency>;
  };
  readonly retentionPolicy: {
    /** Read how long records are kept. `GET /v1/orgs/{id}/retention-policy` */
    get(options?: CallOptions): Answer<RetentionPolicy>;
    /** Set how long records are kept. `PUT /v1/orgs/{id}/retention-policy` */
    set(body: RetentionPolicySetBody, options?: CallOptions): Answer<RetentionPolicy>;
  };
  readonly routing: {
    /** Read the routing policy. `GET /v1/orgs/{id}/routing-policy` */
    getPolicy(options?: CallOptions): Answer<RoutingPolicy>;
    /** Set which models calls can be routed to, and the evals they must pass. `PUT /v1/orgs/{id}/routing-policy` */
    setPolicy(body: RoutingSetPolicyBody, options?: CallOptions): Answer<RoutingPolicy>;
    /** Report a model's result on an eval suite. `POST /v1/orgs/{id}/evals` */
    recordEval(body: RoutingRecordEvalBody, options?: CallOptions): Answer<EvalResult>;
    /** List eval results. `GET /v1/orgs/{id}/evals` */
    listEvals(query?: RoutingListEvalsQuery, options?: ListOptions): Pages<EvalResult>;
    /** Choose the model for a call. `POST /v1/routing/select` */
    select(body?: RoutingSelectBody, options?: CallOptions): Answer<RoutingSelection>;
  };
  readonly runs: {
    /** Report a run. `POST /v1/runs` */
    record(body: RunInput, options?: CallOptions): Answer<Run>;
    /** Report up to 1000 runs. `POST /v1/runs/bulk` */
    recordBulk(body: RunsRecordBulkBody, options?: CallOptions): Answer<{
      readonly accepted: number;
      readonly duplicates: number;
      readonly rejected: number;
      readonly results: readonly {
        readonly index: number;
        readonly id: string | null;
        readonly status: "accepted" | "duplicate" | "rejected";
        readonly error?: {
          readonly code: string;
          readonly message: string;
          readonly details: Readonly<Record<string, unknown>>;
        } | undefined;
      }[];
    }>;
    /** List runs. `GET /v1/runs` */
    list(query?: RunsListQuery, options?: ListOptions): Pages<Run>;
    /** Export the runs of a time range as a stream. `GET /v1/runs/export` */
    export(query?: RunsExportQuery, options?: CallOptions): Answer<Response>;
    /** Read a run. `GET /v1/runs/{id}` */
    get(id: string, options?: CallOptions): Answer<Run>;
  };
  readonly sessions: {
    /** List who is signed in to the console. `GET /v1/orgs/{id}/sessions` */
    list(query?: SessionsListQuery, options?: ListOptions): Pages<Session>;
    /** Revoke a console session. Its next request is refused. `DELETE /v1/orgs/{id}/sessions/{session_id}` */
    revoke(sessionId: string, options?: CallOptions): Answer<void>;
    /** Read the current console session. `GET /v1/console/session` */
    own(options?: CallOptions): Answer<OwnSession>;
  };
  readonly spendCap: {
    /** Read the daily spend cap. `GET /v1/orgs/{id}/spend-cap` */
    get(options?: CallOptions): Answer<SpendCap>;
    /** Set the daily spend cap. `PUT /v1/orgs/{id}/spend-cap` */
    set(body: SpendCapSetBody, options?: CallOptions): Answer<SpendCap>;
    /** Remove the daily spend cap. `DELETE /v1/orgs/{id}/spend-cap` */
    delete(options?: CallOptions): Answer<void>;
  };
  readonly sso: {
    /** Read how people sign in to the console. `GET /v1/orgs/{id}/sso` */
    get(options?: CallOptions): Answer<SsoConnection>;
    /** Set how people sign in to the console. `PUT /v1/orgs/{id}/sso` */
    put(body: SsoPutBody, options?: CallOptions): Answer<SsoConnection>;
  };
  readonly support: {
    /** Open a support grant. `POST /v1/orgs/{id}/support-grants` */
    openGrant(body: SupportOpenGrantBody, options?: CallOptions): Answer<SupportGrant>;
    /** List support grants. `GET /v1/orgs/{id}/support-grants` */
    listGrants(query?: SupportListGrantsQuery, options?: ListOptions): Pages<SupportGrant>;
    /** End a support grant and all of its sessions. `DELETE /v1/orgs/{id}/support-grants/{grant_id}` */
    closeGrant(grantId: string, options?: CallOptions): Answer<void>;
    /** Open a support session. `POST /v1/admin/support-sessions` */
    openSession(body: SupportOpenSessionBody, options?: CallOptions): Answer<{
      /** Returned only in this response. */
      readonly token: string;
      /** RFC 3339 in UTC. */
      readonly expires_at: string;
    }>;
    /** Read whether support has used an open grant. `GET /v1/orgs/{id}/support-presence` */
    presence(options?: CallOptions): Answer<{
      readonly grant: SupportGrant | null;
    }>;
  };
  readonly unusualSpend: {
    /** Read how unusual spend is announced. `GET /v1/orgs/{id}/unusual-spend` */
    get(options?: CallOptions): Answer<UnusualSpendSettingsOutput>;
    /** Set how unusual spend is announced. `PUT /v1/orgs/{id}/unusual-spend` */
    put(body: UnusualSpendSettings, options?: CallOptions): Answer<UnusualSpendSettingsOutput>;
  };
  readonly usage: {
    /** Read spending by day, model and workflow. `GET /v1/orgs/{id}/usage` */
    get(query?: UsageGetQuery, options?: CallOptions): Answer<Usage>;
    /** Report spending by one to three groups. `GET /v1/orgs/{id}/usage/report` */
    report(query: UsageReportQuery & { readonly format?: "json" | undefined }, options?: CallOptions): Answer<UsageReport>;
    report(query: UsageReportQuery & { readonly format: "csv" }, options?: CallOptions): Answer<Response>;
    report(query: UsageReportQuery, options?: CallOptions): Answer<UsageReport | Response>;
    /** Read who spends most, beside an earlier period. `GET /v1/orgs/{id}/usage/top` */
    top(query: UsageTopQuery, options?: CallOptions): Answer<UsageTop>;
    /** Find names in the latest runs. `GET /v1/orgs/{id}/usage/names` */
    names(query: UsageNamesQuery, options?: CallOptions): Answer<UsageNames>;
    /** List days of unusual spend. `GET /v1/orgs/{id}/usage/unusual` */
    unusual(query?: UsageUnusualQuery, options?: CallOptions): Answer<UnusualSpendList>;
  };
  readonly webhookSecret: {
    /** Read the org-level webhook secret and the webhooks that still use it. `GET /v1/admin/orgs/{org_id}/webhook-secret` */
    get(orgId: string, options?: CallOptions): Answer<{
      readonly secret_last4: string;
      /** RFC 3339 in UTC. */
      readonly created_at: string;
      /** Webhooks without their own secret. */
      readonly in_use_by: readonly string[];
    }>;
    /** Create or rotate the org-level webhook secret. `POST /v1/admin/orgs/{org_id}/webhook-secret/rotate` */
    rotate(orgId: string, options?: CallOptions): Answer<{
      readonly rotated: boolean;
      /** The new secret, returned only in this response. */
      readonly secret?: string | undefined;
    }>;
  };
  readonly webhooks: {
    /** Subscribe to events. `POST /v1/orgs/{id}/webhooks` */
    create(body: WebhooksCreateBody, options?: CallOptions): Answer<CreatedWebhook>;
    /** List webhooks. `GET /v1/orgs/{id}/webhooks` */
    list(query?: WebhooksListQuery, options?: ListOptions): Pages<Webhook>;
    /** Read a webhook. `GET /v1/orgs/{id}/webhooks/{sub_id}` */
    get(subId: string, options?: CallOptions): Answer<Webhook>;
    /** Change, disable or enable a webhook. `PATCH /v1/orgs/{id}/webhooks/{sub_id}` */
    change(subId: string, body?: WebhooksChangeBody, options?: CallOptions): Answer<Webhook>;
    /** Delete a webhook, its secrets and its delivery log. `DELETE /v1/orgs/{id}/webhooks/{sub_id}` */
    delete(subId: string, options?: CallOptions): Answer<void>;
    /** Read how a webhook's deliveries are signed. `GET /v1/orgs/{id}/webhooks/{sub_id}/signing` */
    getSigning(subId: string, options?: CallOptions): Answer<WebhookSigning>;
    /** Create or rotate a webhook's own signing secret. `POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate` */
    rotateSigning(subId: string, body?: WebhooksRotateSigningBody, options?: CallOptions): Answer<RotatedWebhookSigning>;
    /** Send a test.ping event to a webhook. `POST /v1/orgs/{id}/webhooks/{sub_id}/test` */
    test(subId: string, options?: CallOptions): Answer<WebhookDelivery>;
    /** List a webhook's deliveries. `GET /v1/orgs/{id}/webhooks/{sub_id}/deliveries` */
    listDeliveries(subId: string, query?: WebhooksListDeliveriesQuery, options?: ListOptions): Pages<WebhookDelivery>;
    /** Replay a delivery. `POST /v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/replay` */
    replayDelivery(subId: string, deliveryId: string, options?: CallOptions): Answer<WebhookDelivery>;
    /** Deliver what a webhook missed since a time. `POST /v1/orgs/{id}/webhooks/{sub_id}/recover` */
    recover(subId: string, body: WebhooksRecoverBody, options?: CallOptions): Answer<RecoveredDeliveries>;
  };
}
