export { getChainBudget } from "./commands.ts";
