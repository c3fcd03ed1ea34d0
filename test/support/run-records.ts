import type { RunRecord } from "../../src/domain/run/segment/record.ts";

/** A run as it is stored, of which only the id and what is stated are known. */
export function runRecord(id: string, stated: Partial<RunRecord> = {}): RunRecord {
  return {
    id,
    startedAt: 0,
    endedAt: null,
    chargedAt: 0,
    recordedAt: 0,
    model: "m",
    action: null,
    workflowId: null,
    deploymentId: null,
    departmentId: null,
    customerId: null,
    chainId: null,
    parentRunId: null,
    depth: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0n,
    charges: "",
    userId: null,
    provider: null,
    keyId: null,
    outcome: null,
    tags: null,
    extra: null,
    ...stated,
  };
}
