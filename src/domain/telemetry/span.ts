import type { TraceParent } from "../text/traceparent.ts";
import type { Attribute } from "./attributes.ts";

/** A span as OTLP writes it in JSON. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: 0;
  readonly events: readonly never[];
  readonly droppedEventsCount: 0;
  readonly status: { readonly code: number; readonly message?: string };
  readonly links: readonly never[];
  readonly droppedLinksCount: 0;
  readonly flags: number;
}

const CLIENT = 3;
const UNSET = 0;
const ERROR = 2;
const SAMPLED = 1;
/** The span says whether its parent is in another process. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

export interface SpanFacts {
  readonly spanId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: readonly Attribute[];
  /** Null if it did not fail. */
  readonly error: string | null;
  /** The trace that the caller's own request belongs to. */
  readonly parent: TraceParent | null;
  /** Without a caller's trace: the trace, and the span in it that this one is below. */
  readonly own: { readonly traceId: string; readonly parentSpanId: string | null };
}

export function spanOf(facts: SpanFacts): Span {
  const { parent, own, error } = facts;
  const parentSpanId = parent === null ? own.parentSpanId : parent.spanId;
  return {
    traceId: parent?.traceId ?? own.traceId,
    spanId: facts.spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name: facts.name,
    kind: CLIENT,
    startTimeUnixNano: nanosOf(facts.startMs),
    endTimeUnixNano: nanosOf(Math.max(facts.startMs, facts.endMs)),
    attributes: facts.attributes,
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: error === null ? { code: UNSET } : { code: ERROR, message: error },
    links: [],
    droppedLinksCount: 0,
    flags: flagsOf(parent, parentSpanId !== null),
  };
}

function flagsOf(parent: TraceParent | null, hasParent: boolean): number {
  const flags = parent === null ? SAMPLED : Number.parseInt(parent.flags, 16);
  return flags | HAS_IS_REMOTE | (hasParent ? IS_REMOTE : 0);
}

/** A time before 1970 has no place in OTLP. */
function nanosOf(ms: number): string {
  return ms <= 0 ? "0" : `${ms}000000`;
}
