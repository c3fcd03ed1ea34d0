import { DECISION_FIELDS } from "../../contract/decision.ts";
import type { DecisionAsk } from "../../gate/ask.ts";
import type { HoldRow } from "./store.ts";

/**
 * Whether a hold of an earlier version, whose id does not contain its question, belongs to this one. The object stored
 * the question with its own holds. For holds of isolates only the amount is known, and must be equal.
 */
export function isSameAsEarlier(row: HoldRow, ask: DecisionAsk, nanos: bigint | null): boolean {
  const asksMore = Object.entries(ask).some(
    ([field, value]) => value !== undefined && !ASKED_EARLIER.has(field),
  );
  if (asksMore || (ask.estimate.min_output_tokens ?? ask.estimate.units) !== undefined) return false;
  return row.verdict === "" ? BigInt(row.amount) === nanos : row.digest === digestOf(ask);
}

/** What could be asked then. Questions of that version had no variant. */
const ASKED_EARLIER: ReadonlySet<string> = new Set(
  Object.keys(DECISION_FIELDS).filter((field) => field !== "variant"),
);

function digestOf(ask: DecisionAsk): string {
  const { cost_usd, input_tokens, max_output_tokens } = ask.estimate;
  return JSON.stringify([
    ask.model,
    ask.action,
    ask.workflow_id,
    ask.deployment_id,
    ask.department_id,
    ask.customer_id,
    cost_usd,
    input_tokens,
    max_output_tokens,
    ask.hold_seconds,
  ]);
}
