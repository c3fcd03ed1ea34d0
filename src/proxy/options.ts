import type { CallFields } from "../adapters/governed-call.ts";
import type { OtherPaths } from "../adapters/other-paths.ts";
import type { GateBinding } from "../client/gate/binding.ts";
import type { ScopeField } from "../contract/scopes.ts";
export type { ProviderName } from "../providers/table.ts";

/** How the proxy reaches a provider. Its prefix is its name: `/openai/…`. */
export interface ProviderAccess {
  /** The proxy's own key. It never leaves for anywhere but this provider. Without one, callers bring theirs, if they may. */
  readonly key?: string | undefined;
  /** Such as `https://api.openai.com`, which is the default. The path after the prefix is added to it. */
  readonly url?: string | undefined;
  /** Other keys and hosts for the same models, tried in this order where the first fails before it bills anything. */
  readonly more?:
    | readonly { readonly key?: string | undefined; readonly url?: string | undefined }[]
    | undefined;
  /** Sent with every call. They are secrets like the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The provider whose API it serves, under a name that is not in the table of providers. Default: `openai`. */
  readonly compatibleWith?: "openai" | "anthropic" | undefined;
  /** The provider in the price book whose prices its calls have. Default: its own name. */
  readonly prices?: string | undefined;
  /** The model that a name stands for, such as that of a deployment. Calls are priced by it. */
  readonly models?: Readonly<Record<string, string>> | undefined;
}

/** False for a scope that no caller may name. The rest is the operator's to say, for each key. */
const SET_BY_CALLERS = {
  customer_id: true,
  workflow_id: true,
  department_id: false,
  deployment_id: false,
} as const satisfies Record<ScopeField, boolean>;
type FieldWith<Value> = {
  [Field in ScopeField]: (typeof SET_BY_CALLERS)[Field] extends Value ? Field : never;
}[ScopeField];
const isSetByCallers = (field: string): field is FieldWith<true> => SET_BY_CALLERS[field as ScopeField];

/** The facts that a caller may state about a call, each in a header: `x-sluice-customer-id` and so on. */
export const CALLER_FIELDS = [
  ...Object.keys(SET_BY_CALLERS).filter(isSetByCallers),
  "user_id",
  "tags",
  "request_id",
  "estimate_usd",
  "chain_id",
  "parent_run_id",
  "action",
  "approval_id",
  "variant",
] as const;
export type CallerField = (typeof CALLER_FIELDS)[number];

/** The fields that anyone may set, unless a limit of the org counts by them: they say what a call is for, and not who pays. */
export const SET_BY_ANYONE: readonly CallerField[] = ["workflow_id", "user_id", "tags"];

/** The line that the proxy logs about an answer that it made by itself. */
export interface ProxyLine {
  readonly at: string;
  /** As in the answer's `x-svc-trace-id`. */
  readonly trace: string;
  readonly source: "proxy";
  readonly method: string;
  readonly provider: string | null;
  /** Null: a call that is not counted in tokens. */
  readonly api: string | null;
  readonly status: number;
  readonly code: string;
  readonly org: string | null;
  readonly key: string | null;
  readonly ms: number;
  /** Where a limit or a rule refused. */
  readonly limit?: string;
  readonly customer?: string | null;
  readonly amount_usd?: string | null;
}

/** The line that the proxy logs about a run that the service does not take. */
export interface UnsettledLine {
  readonly at: string;
  readonly source: "proxy";
  readonly code: "unsettled_call";
  readonly run: string;
  readonly org: string | null;
  readonly key: string | null;
  readonly reason: string;
}

export interface ProxyOptions {
  /** Where Sluice is served. */
  readonly url?: string | undefined;
  /** The service's `Gate` entrypoint, in place of `url`, for a Worker of the same account. */
  readonly binding?: GateBinding | undefined;
  /** Whom this proxy serves: ids of orgs and of keys, or `"*"` for every org of the service. */
  readonly orgs: readonly string[] | "*";
  /** By their prefix: a name of the table of providers, or one of your own. */
  readonly providers: Readonly<Record<string, ProviderAccess | undefined>>;
  /** True if callers may bring a provider's key of their own, with their Sluice key in `x-sluice-key`. */
  readonly ownKeys?: boolean | undefined;
  /**
   * The headers that are accepted. Any other is refused. Default: workflow_id, user_id and tags, each unless a limit of
   * the org counts by it.
   */
  readonly callerSets?: readonly CallerField[] | undefined;
  /** The names that calls of a key are charged under, by the key's id. A caller cannot change it. */
  readonly keyFields?: Readonly<Record<string, CallFields>> | undefined;
  /** Calls that are allowed at a price each, although they are not metered. */
  readonly otherPaths?: OtherPaths | undefined;
  /** The bound of answers whose request sets none. Default: 16,384. */
  readonly defaultMaxOutputTokens?: number | undefined;
  /** Input that a body does not show: reserved at the model's largest context (default), or refused. */
  readonly unseenInput?: "reserve" | "refuse" | undefined;
  /** `background: true`: refused (default), or charged at all that was reserved. */
  readonly background?: "refuse" | "reserve" | undefined;
  /** How often an answer with hosted tools may read its context where the request sets no bound. Default: 4. */
  readonly hostedToolPasses?: number | undefined;
  /** The end of a stream whose caller has left: stopped after the grace (default), or read to its end. */
  readonly onLeave?: "stop" | "finish" | undefined;
  /** How long a stream is read on after its caller has left. Default: 2,000. */
  readonly leaveGraceMs?: number | undefined;
  /** Providers whose own cost in dollars is charged where they tell it. */
  readonly trustsCost?: readonly string[] | undefined;
  /** The end of a reservation whose run never comes. Default: `charge`. */
  readonly onExpiry?: "charge" | "release" | undefined;
  /** How often a call is made again where a provider that is too busy says when. Default: 1. */
  readonly retries?: number | undefined;
  /** The longest that a call waits for that. Default: 2,000. */
  readonly longestRetryMs?: number | undefined;
  /** The largest body. Default: 32 MiB. */
  readonly mostBodyBytes?: number | undefined;
  /** All bodies that are in memory at once. Default: 64 MiB. */
  readonly mostBodiesBytes?: number | undefined;
  /** How long the service at `url` may take to decide. A call without a decision by then is refused. Default: 3,000. */
  readonly decisionTimeoutMs?: number | undefined;
  /** How long a body may take to arrive. Default: 60,000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** A provider that is silent for longer is cut off. Default: 600,000. */
  readonly longestSilenceMs?: number | undefined;
  /** An answer that takes longer is cut off. Default: 3,600,000. */
  readonly longestAnswerMs?: number | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Gets a line for each answer that the proxy makes by itself, and for each run that the service does not take. */
  readonly log?: ((line: ProxyLine | UnsettledLine) => void) | undefined;
}
