import { refuse } from "../../contract/refusal.ts";
import { command, done } from "../kernel/door.ts";
import { deleteMeter } from "../meters/store.ts";
import { budgetNow, loadBudget } from "./store.ts";

export const deleteBudget = command({
  action: "budget.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current: budgetNow,
  run(tx, input: { id: string }) {
    if (loadBudget(tx, input.id) === null) return refuse("not_found");
    deleteMeter(tx.sql, input.id);
    return done(204, null, { target: input.id });
  },
});
