export { getRetentionPolicy } from "./policy.ts";
