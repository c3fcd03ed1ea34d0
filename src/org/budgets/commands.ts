export { changeBudget } from "./change.ts";
export { createBudget } from "./create.ts";
export { deleteBudget } from "./delete.ts";
export { increaseBudget, revokeIncrease } from "./increase.ts";
