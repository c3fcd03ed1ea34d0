import type { NewChainBudget } from "../../contract/resources/chain-budget.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { command, done } from "../kernel/door.ts";
import { deleteMeter, loadMeterRow, onlyMeterRow, saveMeterRow } from "../meters/store.ts";
import { chainBudgetNow, type ChainMeter, chainLimits, METERS } from "./store.ts";

function limitOf(input: NewChainBudget, id: ChainMeter): bigint | null {
  if (id === "chain_cost") return input.max_cost_usd === undefined ? null : parseUsd(input.max_cost_usd);
  const count = id === "chain_depth" ? input.max_depth : input.max_tokens;
  return count === undefined ? null : BigInt(count);
}

export const setChainBudget = command({
  action: "chain_budget.set",
  refuses: [],
  current: chainBudgetNow,
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
    return done(200, chainLimits(tx), { target: "chain_budget", detail: { ...input } });
  },
});

export const deleteChainBudget = command({
  action: "chain_budget.deleted",
  refuses: ["not_found"],
  current: chainBudgetNow,
  run(tx) {
    if (chainBudgetNow(tx) === null) return refuse("not_found");
    for (const id of METERS) deleteMeter(tx.sql, id);
    return done(204, null, { target: "chain_budget" });
  },
});
