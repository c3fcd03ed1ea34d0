import type { SomeMetering } from "../providers/metering.ts";
import type { CallFields, CallGate } from "./governed-call.ts";
import type { OtherPaths } from "./other-paths.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GovernedFetchOptions extends SomeMetering {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((request: { readonly url: URL; readonly headers: Headers }) => CallFields);
  /** The provider's name in the price book. Default: by the host; `openai` or `anthropic` by the path where it is not known. */
  readonly provider?: string;
  /** Models by the names of their deployments, for Azure. */
  readonly deployments?: Readonly<Record<string, string>>;
  /** Calls that are allowed at a price each, although they are not metered, such as `{"POST /v1/batches": "2.50"}`. */
  readonly otherPaths?: OtherPaths;
  /** True if a cost in dollars that the provider tells is charged. */
  readonly trustsCost?: boolean;
  /**
   * Keys of other providers, by their names, such as `{groq: "…"}`. With them, a fallback of the organization can go on to a model of
   * another provider. Without, it goes on to models of the same provider only.
   */
  readonly fallbackKeys?: Readonly<Record<string, string>>;
  /** The end of a stream that the caller aborts: stopped after the grace (default), or read to its end. */
  readonly onLeave?: "stop" | "finish";
  /** How long a stream is read on after its caller has left. Default: 2,000. */
  readonly leaveGraceMs?: number;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** In a Worker: `(work) => ctx.waitUntil(work)`. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
}
