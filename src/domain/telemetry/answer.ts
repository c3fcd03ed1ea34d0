import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";

/** The answer of a receiver to a request. */
export interface ReceiverReply {
  readonly statusCode: number | null;
  readonly retryAfterMs: number | null;
  /** Why there is no status code. */
  readonly error: string | null;
  /** The beginning of its answer. */
  readonly excerpt: string;
}

export type SpanStep =
  /** It has the spans, but for those that it rejected for good. */
  | { readonly kind: "taken"; readonly rejected: number }
  /** It refuses this content. A smaller request shows which span it is. */
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "failed"; readonly error: string; readonly waitMs: number };

/** Statuses that say that the content is wrong or too much. All others may pass, such as a wrong key that is corrected. */
const REFUSES_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * MINUTE_MS;
/** A receiver cannot ask for more, or it would make everything wait until it is dropped. */
const LONGEST_ASKED_MS = HOUR_MS;

export function spanWaitMs(attempts: number, askedMs: number | null = null): number {
  const usual = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS);
  return Math.max(usual, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}

/** Returns what follows from an answer, after this many failed attempts in a row. */
export function spanStep(received: ReceiverReply, spans: number, attempts: number): SpanStep {
  const { statusCode, retryAfterMs } = received;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { kind: "taken", rejected: rejectedIn(received.excerpt, spans) };
  }
  const error = statusCode === null ? (received.error ?? "connection_failed") : `status ${statusCode}`;
  if (statusCode !== null && REFUSES_CONTENT.has(statusCode)) return { kind: "refused", error };
  return { kind: "failed", error, waitMs: spanWaitMs(attempts + 1, retryAfterMs) };
}

/** How many spans a receiver says that it rejected. The rest of its text is not kept: it may repeat a secret. */
function rejectedIn(answer: string, spans: number): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: unknown } | null };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(rejected) && rejected > 0 ? Math.min(rejected, spans) : 0;
  } catch {
    return 0;
  }
}
