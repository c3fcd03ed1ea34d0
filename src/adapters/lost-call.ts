/**
 * What Node says of a connection that was never made. Elsewhere an error does not say how far a request came: workerd has one
 * message for all, so that it may have been sent.
 */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Returns whether a request failed before any of it was sent, so that nobody can have billed it. */
export function wasNotSent(error: unknown): boolean {
  return (
    error instanceof Error && [codeOf(error), codeOf(error.cause)].some((code) => BEFORE_SENDING.has(code))
  );
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** Somebody on the way gave up waiting for an answer, or lost it. The provider may have made it, and billed it. */
const LOST: ReadonlySet<number> = new Set([408, 504, 520, 524]);

export function isLostAnswer(status: number): boolean {
  return LOST.has(status);
}
