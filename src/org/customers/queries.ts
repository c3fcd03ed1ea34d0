export { listRevenues } from "./set.ts";
export { getCustomer, listCustomers } from "./standing.ts";
export { admitCustomer } from "./tokens.ts";
