export { getPlan } from "./commands.ts";
