export { getCustomerLimit, listCustomerLimits } from "./commands.ts";
