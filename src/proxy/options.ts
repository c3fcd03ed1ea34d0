import type { CallFields } from "../adapters/governed-call.ts";
import type { GateBinding } from "../client/gate/binding.ts";

/** A provider that is governed. Its prefix is its name: `/openai/…`. */
export interface Provider {
  /** Such as `https://api.openai.com`. What follows the prefix is added to it. */
  readonly url: string;
  /** The proxy's own key. It never leaves for anywhere but this provider. */
  readonly key: string;
}

export type ProviderName = "openai" | "anthropic";

/** What a caller may say about a call, each in a header: `x-sluice-customer-id` and so on. */
export const CALLER_FIELDS = [
  "customer_id",
  "workflow_id",
  "user_id",
  "tags",
  "request_id",
  "estimate_usd",
] as const;
export type CallerField = (typeof CALLER_FIELDS)[number];

/** The rest decides who pays, or what is reserved: only for callers that are trusted with it. */
export const SET_BY_ANYONE: readonly CallerField[] = ["workflow_id", "user_id", "tags"];

/** What the proxy logs of an answer that it made by itself. */
export interface ProxyLine {
  readonly at: string;
  /** As in the answer's `x-svc-trace-id`. */
  readonly trace: string;
  readonly source: "proxy";
  readonly method: string;
  readonly provider: ProviderName | null;
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

export interface ProxyOptions {
  /** Where Sluice is served. */
  readonly url?: string | undefined;
  /** The service's `Gate` entrypoint, in place of `url`, for a Worker of the same account. */
  readonly binding?: GateBinding | undefined;
  readonly providers: { readonly [Name in ProviderName]?: Provider | undefined };
  /** Which headers are accepted. Any other is refused. Default: workflow_id, user_id and tags. */
  readonly callerSets?: readonly CallerField[] | undefined;
  /** What calls of a key are for, by the key's id. A caller cannot change it. */
  readonly keyFields?: Readonly<Record<string, CallFields>> | undefined;
  /** What calls reserve and cost that are not counted in tokens. Default: "0.01". Reading and deleting is free. */
  readonly otherEstimateUsd?: string | undefined;
  /** Default: 32 MiB. */
  readonly mostBodyBytes?: number | undefined;
  /** Asks OpenAI's streams for their usage where the caller says nothing about it. Adds an event to the stream. */
  readonly addsStreamUsage?: boolean | undefined;
  /** A provider that is silent for longer is cut off. Default: 600,000. */
  readonly longestSilenceMs?: number | undefined;
  /** An answer that takes longer is cut off. Default: 3,600,000. */
  readonly longestAnswerMs?: number | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Gets a line for each answer that the proxy makes by itself: refusals, and providers that fail. */
  readonly log?: ((line: ProxyLine) => void) | undefined;
}
