export { changeBudget, deleteBudget } from "./change.ts";
export { createBudget } from "./create.ts";
export { increaseBudget, revokeIncrease } from "./increase.ts";
