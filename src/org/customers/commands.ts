export { setCustomer } from "./set.ts";
export { mintCustomerToken } from "./tokens.ts";
