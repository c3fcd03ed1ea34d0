export { setResidency } from "./rule.ts";
