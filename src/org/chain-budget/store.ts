import type { ChainBudget } from "../../contract/resources/chain-budget.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { View } from "../kernel/door.ts";
import { loadMeterRow } from "../meters/store.ts";

/** One budget for every chain is three meters, each counting every chain separately. */
export const METERS = ["chain_cost", "chain_depth", "chain_tokens"] as const;
export type ChainMeter = (typeof METERS)[number];

const amountOf = (view: View, id: ChainMeter) => loadMeterRow(view.sql, id, id)?.amount ?? null;

/** All limits are null if there is no chain budget. */
export function chainLimits(view: View): ChainBudget {
  const [cost, depth, tokens] = METERS.map((id) => amountOf(view, id));
  return {
    max_cost_usd: cost === null || cost === undefined ? null : formatUsd(BigInt(cost)),
    max_depth: depth === null || depth === undefined ? null : Number(depth),
    max_tokens: tokens === null || tokens === undefined ? null : Number(tokens),
  };
}

export function chainBudgetNow(view: View): ChainBudget | null {
  const limits = chainLimits(view);
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
}
