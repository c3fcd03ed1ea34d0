import { STATED_SCOPES } from "../../contract/scopes.ts";
import { formatUsd } from "../price/money.ts";
import type { RefusalNote } from "../refusal/note.ts";
import type { TraceParent } from "../text/traceparent.ts";
import { attributesOf, Dollars, wellFormed } from "./attributes.ts";
import { operationName } from "./conventions.ts";
import { type Span, spanOf } from "./span.ts";
import { spanIdOf, traceIdOf } from "./span-ids.ts";

const UUID = /^(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** One refusal as a span without length. Its trace is the caller's, otherwise the one under which the call is logged. */
export function refusalSpan(
  orgId: string,
  refusal: RefusalNote & { readonly id: string },
  parent: TraceParent | null,
): Span {
  const { model, at, code, trace } = refusal;
  const operation = operationName(null, model);
  return spanOf({
    spanId: spanIdOf(orgId, "refusal", refusal.id),
    name: wellFormed(model === null ? operation : `${operation} ${model}`),
    startMs: at,
    endMs: at,
    attributes: attributesOf({
      "gen_ai.operation.name": operation,
      "gen_ai.request.model": model,
      "error.type": code,
      "sluice.refusal_id": refusal.id,
      "sluice.code": code,
      "sluice.limit": refusal.limit,
      "sluice.amount_usd": refusal.nanos === null ? null : new Dollars(formatUsd(BigInt(refusal.nanos))),
      "sluice.status": refusal.status,
      "sluice.decided": refusal.decided,
      "sluice.operation": refusal.operation,
      "sluice.trace_id": trace,
      "sluice.key_id": refusal.keyId,
      "sluice.user_id": refusal.userId,
      ...Object.fromEntries(
        STATED_SCOPES.map(({ field, property }) => [`sluice.${field}`, refusal[property]]),
      ),
    }),
    error: code,
    parent,
    own: {
      traceId: UUID.test(trace) ? trace.replaceAll("-", "") : traceIdOf(orgId, "refusal", refusal.id),
      parentSpanId: null,
    },
  });
}
