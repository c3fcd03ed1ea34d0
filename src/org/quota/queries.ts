export { getQuota } from "./commands.ts";
