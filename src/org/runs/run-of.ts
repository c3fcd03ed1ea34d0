import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { instantOf } from "../../domain/time/instant.ts";
import type { Run } from "./run.ts";
import { tagsText } from "../../domain/run/tags.ts";

/** The fields of a run that its caller does not set. */
type Rest = Pick<Run, "id" | "keyId" | "chargedAt" | "recordedAt" | "depth" | "cost" | "charges" | "extra">;

/** A run as it is stored, from what its caller sent. Scopes are written out, because this is done for every run. */
export function runOf(input: RunInput, rest: Rest): Run {
  return {
    id: rest.id,
    startedAt: instantOf(input.started_at),
    endedAt: input.ended_at === undefined ? null : instantOf(input.ended_at),
    chargedAt: rest.chargedAt,
    recordedAt: rest.recordedAt,
    model: input.model,
    action: input.action ?? null,
    workflowId: input.workflow_id ?? null,
    deploymentId: input.deployment_id ?? null,
    departmentId: input.department_id ?? null,
    customerId: input.customer_id ?? null,
    chainId: input.chain?.chain_id ?? null,
    parentRunId: input.chain?.parent_run_id ?? null,
    depth: rest.depth,
    inputTokens: input.usage.input_tokens,
    outputTokens: input.usage.output_tokens,
    cost: rest.cost,
    charges: rest.charges,
    extra: rest.extra,
    userId: input.user_id ?? null,
    provider: input.provider ?? null,
    keyId: rest.keyId,
    outcome: input.outcome === "completed" ? null : (input.outcome ?? null),
    tags: tagsText(input.tags),
  };
}
