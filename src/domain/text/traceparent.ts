/** What a caller's W3C trace context says: which trace its request belongs to, and whether that trace is recorded. */
export interface TraceParent {
  readonly traceId: string;
  /** Two hexadecimal digits. */
  readonly flags: string;
}

/** Version 00, and later ones as far as they agree with it. Version ff and ids of zeros are invalid. */
const HEADER = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const LONGEST = 512;

/** Null for a header that the specification says to ignore. */
export function readTraceParent(header: string | null): TraceParent | null {
  if (header === null || header.length > LONGEST) return null;
  const [, version, traceId, flags, rest] = HEADER.exec(header) ?? [];
  if (traceId === undefined || flags === undefined) return null;
  if (version === "00" && rest !== undefined) return null;
  return { traceId, flags };
}

/** The header of a request of ours that belongs to the same trace. */
export function childTraceParent({ traceId, flags }: TraceParent, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** As stored beside what the request caused. */
export function writeTraceParent({ traceId, flags }: TraceParent): string {
  return `${traceId}-${flags}`;
}

export function storedTraceParent(text: string | null): TraceParent | null {
  const [traceId, flags] = text?.split("-") ?? [];
  return traceId === undefined || flags === undefined ? null : { traceId, flags };
}
