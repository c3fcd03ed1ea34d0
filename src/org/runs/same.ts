import { instantOf } from "../../domain/instant.ts";
import { parseUsd } from "../../domain/money.ts";
import type { RunInput } from "./input.ts";
import type { Run } from "./run.ts";

/** Whether a run that comes again under a known id says the same. What is never stored cannot be compared. */
export function saysTheSame(stored: Run, input: RunInput): boolean {
  const extra = stored.extra ?? {};
  const samePrice =
    input.cost_usd === undefined
      ? extra.priced === true
      : extra.priced !== true && parseUsd(input.cost_usd) === stored.cost;
  return (
    samePrice &&
    stored.startedAt === instantOf(input.started_at) &&
    stored.endedAt === (input.ended_at === undefined ? null : instantOf(input.ended_at)) &&
    stored.model === input.model &&
    stored.action === (input.action ?? null) &&
    stored.workflowId === (input.workflow_id ?? null) &&
    stored.deploymentId === (input.deployment_id ?? null) &&
    stored.departmentId === (input.department_id ?? null) &&
    stored.customerId === (input.customer_id ?? null) &&
    stored.chainId === (input.chain?.chain_id ?? null) &&
    stored.parentRunId === (input.chain?.parent_run_id ?? null) &&
    stored.inputTokens === input.usage.input_tokens &&
    stored.outputTokens === input.usage.output_tokens &&
    (extra.reservation ?? null) === (input.reservation_id ?? null) &&
    (extra.incurred ?? false) === (input.incurred ?? false) &&
    (extra.approval ?? null) === (input.approval_id ?? null) &&
    canonical(extra.metadata ?? null) === canonical(input.metadata ?? null)
  );
}

/** JSON with every object's keys in order: two that mean the same are written the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
