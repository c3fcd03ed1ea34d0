import { DUE, type DueKind } from "./kernel/due-kinds.ts";
import { expireApproval } from "./approvals/expire.ts";
import { publishBenchmarks } from "./benchmarks/publish.ts";
import { flushCounts } from "./kernel/counters/flush.ts";
import type { DueHandler } from "./kernel/due/handler.ts";
import { expireCreditPack } from "./credit-packs/expire.ts";
import { freeOrphans } from "./leases/sweep.ts";
import { expireDueHolds } from "./decisions/expire.ts";
import { publishProfile } from "./orgs/publish.ts";
import { publishRates } from "./rate-limits/publish.ts";
import { mailLink } from "./emails/confirm.ts";
import { deliverQueue } from "./webhooks/deliver.ts";
import { fanOutInSteps } from "./webhooks/fan-out.ts";
import { endIncidents } from "./webhooks/incidents.ts";
import { sweepRetention } from "./retention-policy/sweep.ts";
import { sweepUsage } from "./retention-policy/usage-sweep.ts";
import { archiveRuns, rollUpRuns } from "./runs/segment-work.ts";
import { expireBackup } from "./backup/make.ts";
import { reencryptAll } from "./peppers/reencrypt.ts";
import { watchSpend } from "./unusual/announce.ts";
import { makeDigest } from "./digests/make.ts";
import { supportExpiry } from "./support/grant.ts";

/** The handler of each kind of due row. */
export const DUE_HANDLERS: Readonly<Record<DueKind, DueHandler>> = {
  [DUE.publishRateLimits]: publishRates,
  [DUE.publish]: {
    kind: "work",
    run: (context, key) => (key === "benchmarks" ? publishBenchmarks(context) : publishProfile(context)),
  },
  [DUE.counters]: flushCounts,
  [DUE.reservations]: expireDueHolds,
  [DUE.leases]: freeOrphans,
  [DUE.packExpiry]: expireCreditPack,
  [DUE.approvalExpiry]: expireApproval,
  [DUE.delivery]: deliverQueue,
  [DUE.digest]: makeDigest,
  [DUE.unusual]: watchSpend,
  [DUE.email]: mailLink,
  [DUE.fanOut]: fanOutInSteps,
  [DUE.incidents]: endIncidents,
  [DUE.retentionSweep]: sweepRetention,
  [DUE.usageSweep]: sweepUsage,
  [DUE.supportExpiry]: supportExpiry,
  [DUE.runArchive]: archiveRuns,
  [DUE.runDigests]: rollUpRuns,
  [DUE.backupExpiry]: expireBackup,
  [DUE.reencrypt]: reencryptAll,
  // Loaded when an org has an export: few have one.
  [DUE.export]: {
    kind: "work",
    run: async (context, key) => (await import("./exports/write.ts")).writeExport(context, key),
  },
};
