import type { RefusedCalls } from "../../contract/resources/edge-leases.ts";
import { readBatch } from "../../domain/refusal/batch.ts";
import { namesOf } from "../../domain/refusal/names.ts";
import { plainStoredParent } from "../../domain/text/traceparent.ts";
import type { NumberedBatch } from "./refusal-outbox.ts";

type RefusedCall = RefusedCalls["notes"][number];

/** The largest amount that the service takes in a report. */
const MOST_NANOS = 10n ** 18n - 1n;

/**
 * Returns what a gate in a caller's own process refused by itself, as it goes to the service. Only codes of a gate's
 * own refusals are in it.
 */
export function refusedCalls({ number, batch }: NumberedBatch): RefusedCalls {
  const { notes, more } = readBatch(batch);
  return {
    number,
    notes: notes.map((note) => ({
      at: note.at,
      trace: note.trace,
      code: note.code as RefusedCall["code"],
      limit: note.limit,
      details: JSON.parse(note.details) as RefusedCall["details"],
      nanos: note.nanos,
      ...namesOf(note, undefined),
      traceparent: plainStoredParent(note.parent ?? null),
    })),
    more: more.map(({ hour, count, nanos, code, limit, customerId, workflowId }) => ({
      hour,
      count,
      nanos: String(nanos < MOST_NANOS ? nanos : MOST_NANOS),
      code: code as RefusedCall["code"],
      limit,
      customer_id: customerId ?? undefined,
      workflow_id: workflowId ?? undefined,
    })),
  };
}
