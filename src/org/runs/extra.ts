import type { ChargeResult } from "../../domain/meter/admission.ts";
import type { Denial } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { subjectsOf } from "../../domain/meter/settlement.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { RunExtra } from "./run.ts";
import { partsOf, unitsOf } from "./usage.ts";

interface PricedRun {
  readonly revision: number | null;
  /** The cost that the base rates would have added. */
  readonly saved: bigint;
  /** The hold that the run settles. */
  readonly hold: { readonly customer_id: string | null } | null;
  /** The accounts that it was charged to. */
  readonly accounts: readonly Account[];
  /** The key that reported it. */
  readonly keyId: string | null;
  /** The caller's trace and span. Null if it has none, or nobody needs them. */
  readonly trace: string | null;
}

/**
 * Returns the data that is stored of a run in addition to its columns. Null for most. Without a revision, it is unknown
 * or the caller stated the cost.
 */
export function extraOf(
  input: RunInput,
  charged: ChargeResult,
  shadow: readonly Denial[],
  { revision, saved, hold, accounts, keyId, trace }: PricedRun,
): RunExtra | null {
  const subjects =
    hold === null
      ? undefined
      : subjectsOf(accounts, {
          customer: input.customer_id,
          chain: input.chain?.chain_id,
          get names() {
            return { ...input, key_id: keyId ?? undefined };
          },
        });
  const extra: { -readonly [Part in keyof RunExtra]: RunExtra[Part] } = {};
  if (input.cost_usd === undefined) extra.priced = revision ?? true;
  if (input.variant !== undefined) extra.variant = input.variant;
  const parts = partsOf(input.usage);
  if (parts !== undefined) extra.parts = parts;
  if (saved > 0n) extra.saved = String(saved);
  const units = unitsOf(input.usage);
  if (units !== undefined) extra.units = units;
  if (input.reservation_id !== undefined) extra.reservation = input.reservation_id;
  if (input.incurred === true) extra.incurred = true;
  if (input.estimated === true) extra.estimated = true;
  if (input.approval_id !== undefined) extra.approval = input.approval_id;
  if (input.requested_model !== undefined) extra.requested = input.requested_model;
  if (input.fallback !== undefined) extra.fallback = input.fallback;
  if (input.metadata !== undefined) extra.metadata = input.metadata;
  if (charged.draws.length > 0) {
    extra.draws = charged.draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const);
  }
  if (charged.uncovered !== 0n) extra.uncovered = String(charged.uncovered);
  const isCredited = extra.draws !== undefined || extra.uncovered !== undefined;
  if (isCredited && input.customer_id === undefined && hold?.customer_id) extra.payer = hold.customer_id;
  if (charged.over.length > 0) {
    extra.over = Object.fromEntries(
      charged.over.map(({ account, amount }) => [account.meter.id, String(amount)]),
    );
  }
  if (subjects !== undefined) extra.subjects = subjects;
  if (shadow.length > 0) extra.shadow = shadow;
  if (trace !== null) extra.trace = trace;
  return isEmpty(extra) ? null : extra;
}

/** A loop, because most runs have nothing more, and a list of their keys would be made for each. */
function isEmpty(extra: object): boolean {
  for (const name in extra) if (Object.hasOwn(extra, name)) return false;
  return true;
}
