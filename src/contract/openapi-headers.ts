import * as z from "zod";
import {
  DECIDED_HEADER,
  REFUSAL_HEADER,
  REGION_HEADER,
  RESERVATION_HEADERS,
  TRACE_HEADER,
} from "./headers.ts";
import type { OperationContract } from "./operation.ts";

/** Response headers in the OpenAPI document: described once, referenced by each response. */

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string" as const },
  example,
});

export const RESPONSE_HEADERS = {
  [TRACE_HEADER]: {
    required: true,
    ...text(
      "Identifies the request in the service's log. Quote it when you report a problem.",
      "0b8ee0d4-58a2-4f0c-9a54-0d6f0b5a1c11",
    ),
  },
  [REGION_HEADER]: { required: true, ...text("The region that served the request.", "eu") },
  [DECIDED_HEADER]: text("Where the decision was made: `edge` or `object`.", "edge"),
  ETag: text("The version of the resource. Send it as `If-Match` with a change.", '"kB1tqkPqGnVYy3zH4nAo1w"'),
  "Retry-After": text("Seconds to wait before you retry.", "1"),
  "Idempotent-Replayed": text(
    "`true` if this is the stored response to an earlier call with the same key.",
    "true",
  ),
  [RESERVATION_HEADERS.id]: text("The reservation.", "rsv_01J9ZJ4Q4N8V3K6W5T2R1P0M7C"),
  [RESERVATION_HEADERS.amount]: text("The reserved amount in US dollars.", "0.01"),
  [RESERVATION_HEADERS.expires]: text("When the reservation expires.", "2026-11-15T02:15:00.000Z"),
  [RESERVATION_HEADERS.output]: text(
    "How many output tokens the amount is for, if `x-sluice-min-output-tokens` was sent.",
    "1830",
  ),
  [RESERVATION_HEADERS.decision]: text("The decision.", "dec_01J9ZJ4Q4N8V3K6W5T2R1P0M7C"),
  [REFUSAL_HEADER]: text(
    "The body of the refusal in ASCII. Absent if it is longer than 3,000 characters.",
    '{"error":{"code":"forbidden","message":"…","details":{}}}',
  ),
  RateLimit: text("What is left of the rate limits that apply, by policy name.", '"default";r=599;t=1'),
  "RateLimit-Policy": text("The rate limits that apply.", '"default";q=600;w=60'),
};

type HeaderName = keyof typeof RESPONSE_HEADERS;
type References = Readonly<Record<string, { readonly $ref: string }>>;

function references(names: readonly HeaderName[]): References {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every response of a deprecated operation also has these. */
export const DEPRECATION_HEADERS = {
  Deprecation: text("When the operation was deprecated (RFC 9745).", "@1784678400"),
  Sunset: text("When the operation may be removed (RFC 8594).", "Fri, 31 Dec 2027 23:59:59 GMT"),
  Link: text("Documentation of the deprecation, and the successor route.", '</docs>; rel="deprecation"'),
};

/** Returns which headers a response with this status may have. It always has the first two. */
export function responseHeaders(op: OperationContract, status: number): References {
  const names: HeaderName[] = [TRACE_HEADER, REGION_HEADER];
  if (op.role !== "anyone") names.push("RateLimit", "RateLimit-Policy");
  if (status < 300 && hasEtag(op, status)) names.push("ETag");
  if (status === 429) names.push("Retry-After");
  if (op.idempotent === true && status < 500) names.push("Idempotent-Replayed");
  const isDecision = op.bodyLimit === "decision" || op.headers !== undefined;
  if (isDecision && [200, 402, 429, 503].includes(status)) names.push(DECIDED_HEADER);
  if (op.headers !== undefined && status === 200) names.push(...Object.values(RESERVATION_HEADERS));
  if (op.answersInHeaders === true && status >= 400) names.push(REFUSAL_HEADER);
  return references(names);
}

/** Lists have none. */
function hasEtag(op: OperationContract, status: number): boolean {
  const shape = op.reply[status];
  if (op.role === "anyone" || shape === null || shape === undefined) return false;
  return !(shape instanceof z.ZodObject && "next_cursor" in shape.shape) && !(shape instanceof z.ZodArray);
}
