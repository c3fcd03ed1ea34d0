export { getOrg } from "./change.ts";
