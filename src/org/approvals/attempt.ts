import { SHOWN_METADATA_CHARACTERS } from "../../contract/bounds.ts";
import type { ApprovalResource } from "../../contract/resources/approvals.ts";
import { SCOPE_FIELDS } from "../../contract/scopes.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { JudgedRun } from "../../domain/policy/attempt.ts";

type AttemptView = ApprovalResource["attempt"];

/** Returns what whoever decides gets to see of an attempt: all that rules go by. */
export function showAttempt(run: JudgedRun, nanos: bigint): AttemptView {
  const { chain, metadata } = run;
  const isShown = metadata === undefined || JSON.stringify(metadata).length <= SHOWN_METADATA_CHARACTERS;
  return {
    model: run.model,
    action: run.action ?? null,
    ...namesOf(run),
    chain:
      chain === undefined ? null : { chain_id: chain.chain_id, parent_run_id: chain.parent_run_id ?? null },
    variant: run.variant ?? null,
    metadata: isShown ? (metadata ?? null) : null,
    metadata_omitted: !isShown,
    cost_usd: formatUsd(nanos),
    input_tokens: run.usage.input_tokens,
    output_tokens: run.usage.output_tokens,
  };
}

function namesOf(run: Partial<Record<(typeof SCOPE_FIELDS)[number], string | undefined>>) {
  const names = SCOPE_FIELDS.map((field) => [field, run[field] ?? null]);
  return Object.fromEntries(names) as Pick<AttemptView, (typeof SCOPE_FIELDS)[number]>;
}
