/** Every kind of due row, as stored. Rows of a kind that is no longer used are logged and retried, never lost. */
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
  email: "email",
  fanOut: "webhook-fan-out",
  incidents: "webhook-incidents",
  retentionSweep: "retention.sweep",
  usageSweep: "retention.usage",
  runArchive: "runs.archive",
  runDigests: "runs.digests",
  backupExpiry: "backup-expiry",
  export: "export",
  digest: "digest",
  unusual: "unusual-spend",
  reencrypt: "reseal",
} as const;

export type DueKind = (typeof DUE)[keyof typeof DUE];
