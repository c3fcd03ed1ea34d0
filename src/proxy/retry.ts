/** The longest that a call waits to be made again, unless it is set. */
export const USUAL_RETRY_MS = 2000;

/**
 * How long a provider asks to be left alone before the same call, in milliseconds. Null: it does not say, or the call may have
 * been worked on. Only a provider that is too busy to begin says so: 429 and 503, and Anthropic's 529.
 */
export function retryAfterMs({ status, headers }: Pick<Response, "status" | "headers">): number | null {
  if (status !== 429 && status !== 503 && status !== 529) return null;
  const exact = numberIn(headers.get("retry-after-ms"));
  if (exact !== null) return exact;
  const seconds = numberIn(headers.get("retry-after"));
  return seconds === null ? null : seconds * 1000;
}

function numberIn(text: string | null): number | null {
  return text !== null && /^\d{1,6}(?:\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}
