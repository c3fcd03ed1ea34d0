/** A caller's W3C trace context: it says which trace the request belongs to, and whether that trace is recorded. */
export interface TraceParent {
  readonly traceId: string;
  /** Two hexadecimal digits. */
  readonly flags: string;
  /** The caller's span. Null where only the trace was stored. */
  readonly spanId: string | null;
}

/** Version 00, and later ones as far as they agree with it. Version ff and ids of zeros are invalid. */
const HEADER = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST = 512;

/** Null for a header that the specification says to ignore. */
export function readTraceParent(header: string | null): TraceParent | null {
  if (header === null || header.length > LONGEST) return null;
  const [, version, traceId, spanId, flags, rest] = HEADER.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === "00" && rest !== undefined) return null;
  return { traceId, flags, spanId };
}

/** The header of a request of ours that belongs to the same trace. */
export function childTraceParent(
  { traceId, flags }: Pick<TraceParent, "traceId" | "flags">,
  spanId: string,
): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** A header in the form that a run may name. Undefined for one that is ignored. */
export function plainTraceParent(header: string | null): string | undefined {
  return headerOf(readTraceParent(header));
}

/** The same of what is stored. Undefined where only the trace is. */
export function plainStoredParent(text: string | null): string | undefined {
  return headerOf(storedTraceParent(text));
}

function headerOf(parent: TraceParent | null): string | undefined {
  return parent === null || parent.spanId === null ? undefined : childTraceParent(parent, parent.spanId);
}

/** As stored beside what the request caused. */
export function writeTraceParent({ traceId, flags, spanId }: TraceParent): string {
  return spanId === null ? `${traceId}-${flags}` : `${traceId}-${flags}-${spanId}`;
}

/** A header as it is stored. Null for one that is ignored. */
export function traceParentToStore(header: string | null): string | null {
  const parent = readTraceParent(header);
  return parent === null ? null : writeTraceParent(parent);
}

export function storedTraceParent(text: string | null): TraceParent | null {
  const [traceId, flags, spanId = null] = text?.split("-") ?? [];
  return traceId === undefined || flags === undefined ? null : { traceId, flags, spanId };
}

/** The same without the caller's span: few need it, and many are stored. */
export function traceOnly(text: string | null): string | null {
  return text === null ? null : text.slice(0, TRACE_CHARACTERS);
}

const TRACE_CHARACTERS = 35;
