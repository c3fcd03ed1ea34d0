export { evaluateSafety } from "./evaluate.ts";
export { getContentSafety } from "./config.ts";
