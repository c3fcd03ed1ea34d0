export { mintCustomerToken } from "./tokens.ts";
