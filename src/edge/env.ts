import type { OrgObject } from "../org/object.ts";
import type { CounterShard } from "../platform/counter-shard.ts";
import type { DeprecationRegistry } from "../platform/deprecation-registry.ts";

/** The Worker's bindings; settings are read through `settings.ts`. */
export interface Env {
  readonly DB: D1Database;
  readonly ORG: DurableObjectNamespace<OrgObject>;
  /** Set only by the script that starts a local server: the secret of the one-time sign-in link. */
  readonly LOCAL_SIGN_IN?: string;
  /** Also set only by that script: whether its startup files exist. */
  readonly LOCAL_READY?: Fetcher;
  readonly REGISTRY: DurableObjectNamespace<DeprecationRegistry>;
  readonly COUNTERS: DurableObjectNamespace<CounterShard>;
  /** Optional: this region's bucket, where runs move that are older than a day, and where exports can be written. */
  readonly ARCHIVE?: R2Bucket;
  /** Optional: sends mail, from `SVC_EMAIL_FROM`. */
  readonly EMAIL?: SendEmail;
  /** The static files of the reference and the guides. */
  readonly ASSETS?: Fetcher;
}
