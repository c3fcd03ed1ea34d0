import type { OrgObject } from "../org/object.ts";
import type { CounterShard } from "../platform/counter-shard.ts";
import type { DeprecationRegistry } from "../platform/deprecation-registry.ts";

/** The Worker's bindings; settings are read through `settings.ts`. */
export interface Env {
  readonly DB: D1Database;
  readonly ORG: DurableObjectNamespace<OrgObject>;
  /** Given only by the script that starts a local server: the secret of the one-time sign-in link. */
  readonly LOCAL_SIGN_IN?: string;
  /** Given only by that script, too: says whether what it makes before it serves is there. */
  readonly LOCAL_READY?: Fetcher;
  readonly REGISTRY: DurableObjectNamespace<DeprecationRegistry>;
  readonly COUNTERS: DurableObjectNamespace<CounterShard>;
}
