import { createHash } from "node:crypto";
import { parseImfFixdate } from "../contract/http-date.ts";

/** How long each attempt waits after the one before it, in seconds. */
export const ATTEMPT_DELAYS_SECONDS = [
  0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
export const MAX_ATTEMPTS = ATTEMPT_DELAYS_SECONDS.length;

const JITTER = 0.2;

/** What came of one attempt. No status code: the receiver could not be asked, or gave no answer. */
export interface Outcome {
  readonly statusCode: number | null;
  readonly retryAfterMs: number | null;
}

/** Why a subscription is no longer delivered to. */
type DisabledReason = "gone" | "exhausted";

export type NextStep =
  | { readonly status: "succeeded" }
  | { readonly status: "pending"; readonly waitMs: number }
  | { readonly status: "failed"; readonly disables: DisabledReason };

/**
 * The same delivery always waits the same, so an attempt recorded twice is scheduled once; different
 * deliveries spread out, so a receiver that comes back is not met by all of them at once.
 */
function jitter(deliveryId: string, attemptsMade: number): number {
  const digest = createHash("sha256").update(`${deliveryId}:${attemptsMade}`).digest();
  return 1 + JITTER * ((2 * digest.readUInt32BE(0)) / 0xffff_ffff - 1);
}

/** How long to wait after `attemptsMade` attempts; null when none is left. */
export function waitMs(deliveryId: string, attemptsMade: number, retryAfterMs: number | null): number | null {
  const baseSeconds = ATTEMPT_DELAYS_SECONDS[attemptsMade];
  if (baseSeconds === undefined) return null;
  const scheduled = Math.round(baseSeconds * 1000 * jitter(deliveryId, attemptsMade));
  return Math.max(scheduled, Math.min(retryAfterMs ?? 0, 2 * baseSeconds * 1000));
}

/**
 * What an attempt's outcome leads to. A receiver that says 410 wants no more. One that failed every
 * attempt has been out of reach for three days and holds up its own queue, so it is switched off.
 */
export function nextStep(deliveryId: string, attemptsMade: number, outcome: Outcome): NextStep {
  const { statusCode, retryAfterMs } = outcome;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { status: "succeeded" };
  if (statusCode === 410) return { status: "failed", disables: "gone" };
  const wait = waitMs(deliveryId, attemptsMade, retryAfterMs);
  return wait === null ? { status: "failed", disables: "exhausted" } : { status: "pending", waitMs: wait };
}

/** `Retry-After` as a wait: seconds, or an HTTP date seen from `nowMs`. Anything else is no wish at all. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = parseImfFixdate(text);
  return date === undefined ? null : Math.max(0, date - nowMs);
}
