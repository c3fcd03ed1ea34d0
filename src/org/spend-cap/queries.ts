export { getSpendCap } from "./commands.ts";
