import { createHash } from "node:crypto";

/** Fields that move by themselves: a budget that is being spent from is still the same version of the budget. */
const VOLATILE = new Set([
  "spent_usd",
  "reserved_usd",
  "available_usd",
  "balance_usd",
  "remaining_usd",
  "period_start",
  "period_end",
  "resets_at",
  "usage",
  "last_used_at",
]);

/** The strong ETag of a resource's current version. */
export function etagOf(body: object): string {
  const stable = JSON.stringify(body, (key, value: unknown) => (VOLATILE.has(key) ? undefined : value));
  return `"${createHash("sha256").update(stable).digest("base64url").slice(0, 22)}"`;
}

/** Whether an `If-Match` header holds for the current version; `*` holds for any that exists. */
export function ifMatchHolds(header: string, current: string | null): boolean {
  if (current === null) return false;
  return header.split(",").some((tag) => tag.trim() === "*" || tag.trim() === current);
}
