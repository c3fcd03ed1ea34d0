import type { ChainBudget, NewChainBudget } from "../../contract/resources/chain-budget.ts";
import { refuse } from "../../contract/refusal.ts";
import { formatUsd, parseUsd } from "../../domain/money.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { deleteMeter, loadMeterRow, onlyMeterRow, saveMeterRow } from "../meters/store.ts";

/** One budget for every chain is three meters, each counting every chain apart. */
const METERS = ["chain_cost", "chain_depth", "chain_tokens"] as const;
type ChainMeter = (typeof METERS)[number];

const amountOf = (view: View, id: ChainMeter) => loadMeterRow(view.sql, id, id)?.amount ?? null;

function limitOf(input: NewChainBudget, id: ChainMeter): bigint | null {
  if (id === "chain_cost") return input.max_cost_usd === undefined ? null : parseUsd(input.max_cost_usd);
  const count = id === "chain_depth" ? input.max_depth : input.max_tokens;
  return count === undefined ? null : BigInt(count);
}

/** With every limit null where there is no such budget. */
function limitsNow(view: View): ChainBudget {
  const [cost, depth, tokens] = METERS.map((id) => amountOf(view, id));
  return {
    max_cost_usd: cost === null || cost === undefined ? null : formatUsd(BigInt(cost)),
    max_depth: depth === null || depth === undefined ? null : Number(depth),
    max_tokens: tokens === null || tokens === undefined ? null : Number(tokens),
  };
}

const current = (view: View) => {
  const limits = limitsNow(view);
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
};

export const getChainBudget = query({
  refuses: ["not_found"],
  run: (view) => current(view) ?? refuse("not_found"),
});

export const setChainBudget = command({
  action: "chain_budget.set",
  refuses: [],
  current,
  run(tx, input: NewChainBudget) {
    for (const id of METERS) {
      const limit = limitOf(input, id);
      const before = loadMeterRow(tx.sql, id, id);
      if (limit === null) {
        if (before !== null) deleteMeter(tx.sql, id);
        continue;
      }
      saveMeterRow(tx.sql, onlyMeterRow(id, { amount: String(limit), since: before?.since ?? tx.now }));
    }
    return done(200, limitsNow(tx), { target: "chain_budget", detail: { ...input } });
  },
});

export const deleteChainBudget = command({
  action: "chain_budget.deleted",
  refuses: ["not_found"],
  current,
  run(tx) {
    if (current(tx) === null) return refuse("not_found");
    for (const id of METERS) deleteMeter(tx.sql, id);
    return done(204, null, { target: "chain_budget" });
  },
});
