import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";

/** What arrived at a receiver of spans, read and written again by OpenTelemetry's own code. */

type Value = string | number | boolean | Value[];

interface WireValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly WireValue[] };
}
type WireAttributes = readonly { readonly key: string; readonly value: WireValue }[];

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: WireAttributes;
  readonly status: { readonly code: number; readonly message?: string };
  readonly flags: number;
}

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireAttributes };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly WireSpan[];
    }[];
  }[];
}

export interface ReceivedSpan extends Omit<WireSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, Value>>;
  readonly resource: Readonly<Record<string, Value>>;
}

function valueOf(value: WireValue): Value {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = value;
  const plain = stringValue ?? intValue ?? doubleValue ?? boolValue;
  if (plain !== undefined) return plain;
  return (arrayValue?.values ?? []).map(valueOf);
}

const attributesOf = (all: WireAttributes) =>
  Object.fromEntries(all.map(({ key, value }) => [key, valueOf(value)]));

const timeOf = (nanos: string): [number, number] => [
  Number(BigInt(nanos) / 1_000_000_000n),
  Number(BigInt(nanos) % 1_000_000_000n),
];

/** The span as an object of the SDK. */
function sdkSpan(span: WireSpan, resource: object, scope: { readonly name: string }) {
  const remote = (span.flags & 0x200) !== 0;
  const context = (spanId: string) => ({
    traceId: span.traceId,
    spanId,
    traceFlags: span.flags & 0xff,
    ...(remote ? { isRemote: true } : {}),
  });
  return {
    name: span.name,
    kind: span.kind - 1,
    spanContext: () => context(span.spanId),
    ...(span.parentSpanId === undefined ? {} : { parentSpanContext: context(span.parentSpanId) }),
    startTime: timeOf(span.startTimeUnixNano),
    endTime: timeOf(span.endTimeUnixNano),
    status: span.status,
    attributes: attributesOf(span.attributes),
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** The request as the SDK would write it. The SDK writes whole doubles as integers. */
export function asSdkWrites(body: string): unknown {
  const { resourceSpans } = JSON.parse(body) as WireRequest;
  const spans = resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const shared = { attributes: attributesOf(resource.attributes) };
    return scopeSpans.flatMap(({ scope, spans: own }) => own.map((span) => sdkSpan(span, shared, scope)));
  });
  const readable = spans as unknown as Parameters<typeof JsonTraceSerializer.serializeRequest>[0];
  const bytes = JsonTraceSerializer.serializeRequest(readable);
  return alike(JSON.parse(new TextDecoder().decode(bytes)));
}

/** With one form for whole numbers. */
export function alike(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"doubleValue":', '"intValue":'));
}

export function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as WireRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}
