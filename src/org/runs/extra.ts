import type { Charged } from "../../domain/admission.ts";
import type { Denial } from "../../domain/kinds.ts";
import type { RunInput } from "../../contract/resources/runs.ts";
import type { RunExtra } from "./run.ts";

/** What is stored of a run beside its columns; null for most. */
export function extraOf(input: RunInput, charged: Charged, shadow: readonly Denial[]): RunExtra | null {
  const extra: { -readonly [Part in keyof RunExtra]: RunExtra[Part] } = {};
  if (input.cost_usd === undefined) extra.priced = true;
  if (input.reservation_id !== undefined) extra.reservation = input.reservation_id;
  if (input.incurred === true) extra.incurred = true;
  if (input.approval_id !== undefined) extra.approval = input.approval_id;
  if (input.metadata !== undefined) extra.metadata = input.metadata;
  if (charged.draws.length > 0) {
    extra.draws = charged.draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  }
  if (charged.uncovered !== 0n) extra.uncovered = String(charged.uncovered);
  if (charged.over.length > 0) {
    extra.over = Object.fromEntries(
      charged.over.map(({ account, amount }) => [account.meter.id, String(amount)]),
    );
  }
  if (shadow.length > 0) extra.shadow = shadow;
  return Object.keys(extra).length === 0 ? null : extra;
}
