import { createHash } from "node:crypto";
import { parseImfFixdate } from "../../contract/http-date.ts";

/** The wait before each attempt, in seconds. */
export const ATTEMPT_DELAYS_SECONDS = [
  0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
export const MAX_ATTEMPTS = ATTEMPT_DELAYS_SECONDS.length;

const JITTER = 0.2;

/** The outcome of one attempt. Without a status code, the receiver could not be reached or did not respond. */
export interface Outcome {
  readonly statusCode: number | null;
  readonly retryAfterMs: number | null;
}

/** Why a subscription is disabled. */
type DisabledReason = "gone" | "exhausted";

export type NextStep =
  | { readonly status: "succeeded" }
  | { readonly status: "pending"; readonly waitMs: number }
  | { readonly status: "failed"; readonly disables: DisabledReason };

/**
 * Deterministic jitter. The same delivery always waits the same time, so an attempt recorded twice is scheduled once.
 * Different deliveries are spread out, so a receiver that recovers does not get all of them at once.
 */
function jitter(deliveryId: string, attemptsMade: number): number {
  const digest = createHash("sha256").update(`${deliveryId}:${attemptsMade}`).digest();
  return 1 + JITTER * ((2 * digest.readUInt32BE(0)) / 0xffff_ffff - 1);
}

/** How long to wait after `attemptsMade` attempts. Null if no attempt is left. */
export function waitMs(deliveryId: string, attemptsMade: number, retryAfterMs: number | null): number | null {
  const baseSeconds = ATTEMPT_DELAYS_SECONDS[attemptsMade];
  if (baseSeconds === undefined) return null;
  const scheduled = Math.round(baseSeconds * 1000 * jitter(deliveryId, attemptsMade));
  return Math.max(scheduled, Math.min(retryAfterMs ?? 0, 2 * baseSeconds * 1000));
}

/**
 * Returns what follows from an attempt's outcome. A 410 disables the subscription. So do ten failed attempts: the
 * receiver has been unavailable for three days and blocks its own queue.
 */
export function nextStep(deliveryId: string, attemptsMade: number, outcome: Outcome): NextStep {
  const { statusCode, retryAfterMs } = outcome;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { status: "succeeded" };
  if (statusCode === 410) return { status: "failed", disables: "gone" };
  const wait = waitMs(deliveryId, attemptsMade, retryAfterMs);
  return wait === null ? { status: "failed", disables: "exhausted" } : { status: "pending", waitMs: wait };
}

/** `Retry-After` as a wait: seconds, or an HTTP date seen from `nowMs`. Any other value is ignored. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = parseImfFixdate(text);
  return date === undefined ? null : Math.max(0, date - nowMs);
}
