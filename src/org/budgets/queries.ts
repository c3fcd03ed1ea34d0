export { getBudget, listBudgets } from "./commands.ts";
