/** Every kind of event. Append-only: receivers switch on these names. */
export const EVENT_KINDS = [
  "run.recorded",
  "run.over_limit",
  "reservation.expired",
  "budget.threshold_crossed",
  "budget.exceeded",
  "spend_cap.exceeded",
  "customer_limit.exceeded",
  "credit_pack.depleted",
  "credit_pack.expired",
  "quota.low",
  "quota.exhausted",
  "plan.limit_reached",
  "policy.blocked",
  "policy.approval_requested",
  "policy.approval_decided",
  "safety.blocked",
  "key.created",
  "key.rotated",
  "key.revoked",
  "org.suspended",
  "org.resumed",
  "webhook.disabled",
  "support.grant_opened",
  "support.grant_closed",
  "test.ping",
  "run.adjusted",
  "run.replaced",
  "spend_cap.threshold_crossed",
  "customer_limit.threshold_crossed",
  "credit_pack.threshold_crossed",
  "quota.threshold_crossed",
  "plan.threshold_crossed",
  "spend.unusual",
  "digest.ready",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const GROUPS = new Set(EVENT_KINDS.map((kind) => kind.slice(0, kind.indexOf("."))));

/** Returns whether a subscription can ask for it: a kind, all kinds of a group (`budget.*`), or everything (`*`). */
export function isEventPattern(pattern: string): boolean {
  if (pattern === "*" || (EVENT_KINDS as readonly string[]).includes(pattern)) return true;
  return pattern.endsWith(".*") && GROUPS.has(pattern.slice(0, -2));
}

export function matchesEvent(patterns: readonly string[], kind: EventKind): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" ||
      pattern === kind ||
      (pattern.endsWith(".*") && kind.startsWith(pattern.slice(0, -1))),
  );
}
