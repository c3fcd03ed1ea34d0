import type { Refusal } from "../../contract/refusal.ts";
import type { ExplainedCheck, Explanation } from "../../contract/resources/explain.ts";
import { formatUsd } from "../../domain/price/money.ts";

export type ExplanationResult = Explanation | Refusal<"not_found" | "validation_failed">;

export function explanation(
  of: Pick<Explanation, "subject" | "id">,
  at: number,
  nanos: bigint | null,
  checks: ExplainedCheck[],
): Explanation {
  return {
    ...of,
    outcome: checks.some(({ outcome }) => outcome === "refused") ? "refused" : "allowed",
    at: new Date(at).toISOString(),
    amount_usd: nanos === null ? null : formatUsd(nanos),
    refusal: null,
    refusals: 0,
    checks,
  };
}
