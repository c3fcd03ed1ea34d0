export { listAdjustments } from "./commands.ts";
