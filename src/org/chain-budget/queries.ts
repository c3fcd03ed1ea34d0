import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { chainBudgetNow } from "./store.ts";

export const getChainBudget = query({
  refuses: ["not_found"],
  run: (view) => chainBudgetNow(view) ?? refuse("not_found"),
});
