export { setRetentionPolicy } from "./policy.ts";
