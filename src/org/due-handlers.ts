import { APPROVAL_EXPIRY, expireApproval } from "./approvals/decide.ts";
import { publishBenchmarks } from "./benchmarks/publish.ts";
import { flushCounts } from "./kernel/counters/flush.ts";
import type { DueHandler } from "./kernel/due/handler.ts";
import { expireCreditPack } from "./credit-packs/commands.ts";
import { freeOrphans, LEASES_DUE } from "./leases/sweep.ts";
import { expireDueHolds } from "./decisions/expire.ts";
import { publishProfile } from "./orgs/publish.ts";
import { publishRates } from "./rate-limits/publish.ts";
import { deliverQueue } from "./webhooks/deliver.ts";
import { DELIVER } from "./webhooks/queue.ts";
import { RETENTION_SWEEP } from "./retention-policy/policy.ts";
import { sweepRetention } from "./retention-policy/sweep.ts";
import { sweepUsage, USAGE_SWEEP } from "./retention-policy/usage-sweep.ts";
import { supportExpiry } from "./support/grant.ts";

/** Every kind of row that the due table may hold. */
export const DUE_HANDLERS: Readonly<Record<string, DueHandler>> = {
  publish_rate_limits: publishRates,
  publish: {
    kind: "work",
    run: (context, key) => (key === "benchmarks" ? publishBenchmarks(context) : publishProfile(context)),
  },
  counters: flushCounts,
  holds: expireDueHolds,
  [LEASES_DUE]: freeOrphans,
  "pack-expiry": expireCreditPack,
  [APPROVAL_EXPIRY]: expireApproval,
  [DELIVER]: deliverQueue,
  [RETENTION_SWEEP]: sweepRetention,
  [USAGE_SWEEP]: sweepUsage,
  "support-expiry": supportExpiry,
};
