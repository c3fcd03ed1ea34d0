/**
 * Every kind of row that the due table may hold, as it is stored. A kind that is not used any more stays unhandled: its rows
 * are logged and tried again, never lost.
 */
export const DUE = {
  publish: "publish",
  publishRateLimits: "publish_rate_limits",
  counters: "counters",
  reservations: "holds",
  leases: "leases",
  packExpiry: "pack-expiry",
  approvalExpiry: "approval.expiry",
  supportExpiry: "support-expiry",
  delivery: "webhook-delivery",
  fanOut: "webhook-fan-out",
  retentionSweep: "retention.sweep",
  usageSweep: "retention.usage",
  runPacking: "runs.packing",
} as const;

export type DueKind = (typeof DUE)[keyof typeof DUE];
