import { APPROVAL_EXPIRY, expireApproval } from "./approvals/decide.ts";
import { publishBenchmarks } from "./benchmarks/publish.ts";
import { flushCounts } from "./counters/flush.ts";
import type { OrgEnv, Tx, View } from "./door.ts";
import { expireCreditPack } from "./credit-packs/commands.ts";
import { expireDueHolds } from "./holds/expire.ts";
import { publishProfile } from "./profile/publish.ts";
import { publishRates } from "./rates/publish.ts";
import { deliverQueue } from "./webhooks/deliver.ts";
import { DELIVER } from "./webhooks/queue.ts";
import { RETENTION_SWEEP } from "./retention/policy.ts";
import { sweepRetention } from "./retention/sweep.ts";
import { sweepUsage, USAGE_SWEEP } from "./retention/usage-sweep.ts";
import { supportExpiry } from "./support/grant.ts";

/** What `work` may use: its own transactions, and the outside world between them. */
export interface DueContext {
  readonly storage: DurableObjectStorage;
  readonly env: OrgEnv;
  view(): View;
}

/**
 * `change`: runs inside one transaction, together with the removal of its row. `work`: talks to the outside world in
 * between; its row stays, moved ahead as a retry, until the work itself moves it or takes it back with `scheduleDue`.
 */
export type DueHandler =
  | { readonly kind: "change"; run(tx: Tx, key: string): void }
  | { readonly kind: "work"; run(context: DueContext, key: string): Promise<void> };

/** Every kind of row that the due table may hold. */
export const DUE_HANDLERS: Readonly<Record<string, DueHandler>> = {
  publish_rate_limits: publishRates,
  publish: {
    kind: "work",
    run: (context, key) => (key === "benchmarks" ? publishBenchmarks(context) : publishProfile(context)),
  },
  counters: flushCounts,
  holds: expireDueHolds,
  "pack-expiry": expireCreditPack,
  [APPROVAL_EXPIRY]: expireApproval,
  [DELIVER]: deliverQueue,
  [RETENTION_SWEEP]: sweepRetention,
  [USAGE_SWEEP]: sweepUsage,
  "support-expiry": supportExpiry,
};
