import type { RefusalNote } from "../../src/domain/refusal/note.ts";

/** A refusal as it is stored. */
export function aNote(fields: Partial<RefusalNote> = {}): RefusalNote {
  return {
    at: Date.parse("2026-11-15T10:00:00Z"),
    trace: "trace",
    decided: "edge",
    operation: "POST /v1/edge/decision",
    status: 402,
    code: "budget_exceeded",
    details: '{"budget_id":"bud_1"}',
    limit: "bud_1",
    keyId: "key_1",
    model: "acme/m1",
    customerId: null,
    workflowId: null,
    departmentId: null,
    deploymentId: null,
    userId: null,
    nanos: "1000000000",
    ...fields,
  };
}
