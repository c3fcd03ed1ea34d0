import { chainBudgetNow } from "./store.ts";
import { readOne } from "../kernel/resource.ts";

export const getChainBudget = readOne(chainBudgetNow);
