import { DECISION_ROUTE } from "../contract/decision.ts";
import { ERRORS } from "../contract/errors.ts";
import type { RefusedCalls } from "../contract/resources/leases.ts";
import { DAY_MS } from "../contract/durations.ts";
import { readBatch, writeBatch } from "../domain/refusal-batch.ts";
import type { RefusalNote } from "../domain/refusal-note.ts";
import { hourOf } from "../domain/refusal-sums.ts";
import type { NumberedBatch } from "./refusal-outbox.ts";

/** What a gate refused by itself, between a gate in a caller's own process and the service. */

type RefusedCall = RefusedCalls["notes"][number];

/** As it goes to the service. Only codes of a gate's own refusals are in it. */
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
      model: note.model ?? undefined,
      customer_id: note.customerId ?? undefined,
      workflow_id: note.workflowId ?? undefined,
      department_id: note.departmentId ?? undefined,
      deployment_id: note.deploymentId ?? undefined,
      user_id: note.userId ?? undefined,
    })),
    more: more.map(({ hour, count, nanos, code, limit, customerId, workflowId }) => ({
      hour,
      count,
      nanos: String(nanos),
      code: code as RefusedCall["code"],
      limit,
      customer_id: customerId ?? undefined,
      workflow_id: workflowId ?? undefined,
    })),
  };
}

/** As the service keeps it: under the key that it came with, and at no time that has not been or is long over. */
export function keptCalls(
  { number, notes, more }: RefusedCalls,
  { keyId, orgNow }: { readonly keyId: string; readonly orgNow: number },
): NumberedBatch {
  const timely = (at: number) => Math.min(orgNow, Math.max(orgNow - DAY_MS, at));
  const kept = notes.map((note): RefusalNote => ({
    at: timely(note.at),
    trace: note.trace,
    decided: "edge",
    operation: DECISION_ROUTE,
    status: ERRORS[note.code].statuses[0],
    code: note.code,
    details: JSON.stringify(note.details),
    limit: note.limit,
    keyId,
    model: note.model ?? null,
    customerId: note.customer_id ?? null,
    workflowId: note.workflow_id ?? null,
    departmentId: note.department_id ?? null,
    deploymentId: note.deployment_id ?? null,
    userId: note.user_id ?? null,
    nanos: note.nanos,
  }));
  const sums = more.map(({ hour, count, nanos, code, limit, customer_id, workflow_id }) => ({
    hour: hourOf(timely(hour)),
    count,
    nanos: BigInt(nanos),
    code,
    limit,
    keyId,
    customerId: customer_id ?? null,
    workflowId: workflow_id ?? null,
  }));
  return { number, batch: writeBatch({ notes: kept, more: sums }) };
}
