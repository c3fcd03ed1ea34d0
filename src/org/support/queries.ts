export { listSupportGrants, supportInside } from "./grant.ts";
