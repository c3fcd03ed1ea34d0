export { getResidency } from "./rule.ts";
